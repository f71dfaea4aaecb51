//! The safetensors format: a length, a JSON header, the data (huggingface/safetensors, README, "Format"). Tensors are read one at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Mutex;

use candle_core::quantized::QMatMul;
use candle_core::{DType, Device, Tensor};
use serde::Deserialize;
use serde_json::Value;

use super::{Weights, check_shape};
use crate::error::LocalError;
use crate::folder::Folder;

/// The list of shards beside them.
const INDEX: &str = "model.safetensors.index.json";
/// Bytes of a header at most, as in the reference implementation.
const MAX_HEADER_BYTES: u64 = 100_000_000;
/// Shards of a model at most.
const MAX_SHARDS: usize = 512;

/// What a header says of a tensor; offsets count from the end of the header.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// Where a tensor lies.
struct Place {
    file: usize,
    dtype: DType,
    shape: Vec<usize>,
    start: u64,
    n_bytes: usize,
}

/// The tensors of one file or of all shards.
pub(crate) struct SafeTensors {
    files: Vec<(PathBuf, Mutex<File>)>,
    places: BTreeMap<String, Place>,
}

impl SafeTensors {
    /// The tensors of a folder: the shards that `model.safetensors.index.json` names, else the only `*.safetensors` file.
    ///
    /// # Errors
    /// `Missing` when a file is not there, `Unreadable` when a header is broken or larger than its file, `Unsupported` for numbers in other formats.
    pub(crate) fn open(folder: &Folder) -> Result<Self, LocalError> {
        let mut tensors = Self {
            files: Vec::new(),
            places: BTreeMap::new(),
        };
        for name in file_names(folder)? {
            tensors.add(folder, &name)?;
        }
        Ok(tensors)
    }

    fn add(&mut self, folder: &Folder, name: &str) -> Result<(), LocalError> {
        let path = folder.path(name);
        if !path.is_file() {
            return Err(folder.missing(name));
        }
        let broken = |why: &dyn std::fmt::Display| LocalError::file(&path, why);
        let mut file = File::open(&path).map_err(|error| broken(&error))?;
        let n_bytes = file.metadata().map_err(|error| broken(&error))?.len();
        let mut length = [0; 8];
        file.read_exact(&mut length)
            .map_err(|_| broken(&"it is too short for a safetensors file"))?;
        let n_header = u64::from_le_bytes(length);
        if n_header > MAX_HEADER_BYTES || n_header > n_bytes - 8 {
            return Err(broken(&format!(
                "its header claims {n_header} bytes of a file of {n_bytes}"
            )));
        }
        let mut header = vec![0; n_header as usize];
        file.read_exact(&mut header)
            .map_err(|error| broken(&error))?;
        let entries: BTreeMap<String, Value> = serde_json::from_slice(&header)
            .map_err(|error| broken(&format!("its header is no JSON object: {error}")))?;
        let data = 8 + n_header;
        for (tensor, entry) in entries {
            if tensor == "__metadata__" {
                continue;
            }
            let entry = Entry::deserialize(entry)
                .map_err(|error| broken(&format!("tensor {tensor}: {error}")))?;
            let mut place =
                place(&entry, n_bytes - data).map_err(|why| match number_format(&entry.dtype) {
                    None => LocalError::unsupported(format!(
                        "tensor {tensor} in {} has numbers of type {}; known are F16, BF16, F32 and F64 (for smaller ones use a GGUF file)",
                        path.display(),
                        entry.dtype
                    )),
                    Some(_) => broken(&format!("tensor {tensor}: {why}")),
                })?;
            place.file = self.files.len();
            place.start += data;
            self.places.insert(tensor, place);
        }
        self.files.push((path, Mutex::new(file)));
        Ok(())
    }

    /// The name of the first file, for messages.
    fn file_name(&self, place: Option<&Place>) -> String {
        self.files
            .get(place.map_or(0, |place| place.file))
            .map_or_else(String::new, |(path, _)| path.display().to_string())
    }
}

impl Weights for SafeTensors {
    fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.places.get(name).map(|place| place.shape.clone())
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, LocalError> {
        let place = self.places.get(name);
        let found = place.map(|place| place.shape.as_slice());
        check_shape(&self.file_name(place), name, (found, shape))?;
        let Some(place) = place else {
            return Err(LocalError::unreadable(format!("no tensor {name}")));
        };
        let (path, file) = &self.files[place.file];
        let mut file = file.lock().unwrap_or_else(|poison| poison.into_inner());
        let mut bytes = vec![0; place.n_bytes];
        file.seek(SeekFrom::Start(place.start))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| LocalError::file(path, format!("tensor {name}: {error}")))?;
        let tensor = Tensor::from_raw_buffer(&bytes, place.dtype, shape, &Device::Cpu)?;
        Ok(tensor.to_dtype(DType::F32)?)
    }

    fn matrix(&self, name: &str, (rows, columns): (usize, usize)) -> Result<QMatMul, LocalError> {
        Ok(QMatMul::Tensor(self.tensor(name, &[rows, columns])?))
    }
}

/// The formats of numbers that are computed with.
fn number_format(name: &str) -> Option<DType> {
    match name {
        "F16" => Some(DType::F16),
        "BF16" => Some(DType::BF16),
        "F32" => Some(DType::F32),
        "F64" => Some(DType::F64),
        _ => None,
    }
}

/// Checks an entry against the bytes of data that its file has.
fn place(entry: &Entry, n_data: u64) -> Result<Place, String> {
    let dtype = number_format(&entry.dtype).ok_or("unknown type")?;
    let (start, end) = entry.data_offsets;
    if start > end || end > n_data {
        return Err(format!(
            "it claims bytes {start} to {end} and the file has {n_data}; it is cut off"
        ));
    }
    let wanted = entry
        .shape
        .iter()
        .try_fold(dtype.size_in_bytes(), |size, n| size.checked_mul(*n));
    if wanted.map(|wanted| wanted as u64) != Some(end - start) {
        return Err(format!(
            "shape {:?} of {} does not fill its {} bytes",
            entry.shape,
            entry.dtype,
            end - start
        ));
    }
    Ok(Place {
        file: 0,
        dtype,
        shape: entry.shape.clone(),
        start,
        n_bytes: (end - start) as usize,
    })
}

/// The files that hold the tensors: the shards of the index, `model.safetensors`, or a single file of any name.
fn file_names(folder: &Folder) -> Result<Vec<String>, LocalError> {
    if let Some(index) = folder.json(INDEX)? {
        let path = folder.path(INDEX);
        let map = index["weight_map"]
            .as_object()
            .ok_or_else(|| LocalError::file(&path, "it has no weight_map"))?;
        let names: BTreeSet<&str> = map.values().filter_map(Value::as_str).collect();
        let strange = names
            .iter()
            .find(|name| name.contains(['/', '\\']) || !name.ends_with(".safetensors"));
        if let Some(name) = strange {
            return Err(LocalError::file(
                &path,
                format!("{name:?} is no safetensors file of this folder"),
            ));
        }
        if names.is_empty() || names.len() > MAX_SHARDS {
            return Err(LocalError::file(
                &path,
                format!("it names {} shards of 1 to {MAX_SHARDS}", names.len()),
            ));
        }
        return Ok(names.into_iter().map(str::to_owned).collect());
    }
    if folder.has("model.safetensors") {
        return Ok(vec!["model.safetensors".to_owned()]);
    }
    let mut found = folder.files_of("safetensors")?;
    match found.len() {
        0 => Err(folder.missing("model.safetensors")),
        1 => Ok(vec![found.remove(0)]),
        n => Err(LocalError::file(
            &folder.path(INDEX),
            format!(
                "it is not there, and which of {n} safetensors files belong together is not known"
            ),
        )),
    }
}
