//! Tensors out of a user's files.
//!
//! *Takes* safetensors files or one GGUF file. *Gives* single tensors by the names that model hubs use, their shapes checked.
//! *Never* allocates before a size from a header was held against the size of the file.

mod gguf;
mod linear;
mod safetensors;

pub(crate) use gguf::Gguf;
pub(crate) use linear::Linear;
pub(crate) use safetensors::SafeTensors;

use candle_core::Tensor;
use candle_core::quantized::QMatMul;

use crate::error::LocalError;

/// A source of tensors. Names are those of Hugging Face checkpoints (`model.layers.0.mlp.up_proj.weight`).
pub(crate) trait Weights {
    /// The shape of a tensor, or none when there is no such tensor.
    fn shape(&self, name: &str) -> Option<Vec<usize>>;

    /// A tensor as `f32`; `shape` must be that of the file.
    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, LocalError>;

    /// A matrix of `(rows, columns)` to multiply with, quantized where the file has it so.
    fn matrix(&self, name: &str, shape: (usize, usize)) -> Result<QMatMul, LocalError>;
}

/// Compares the shape that a file has with the one its configuration asks for.
pub(crate) fn check_shape(
    file: &str,
    name: &str,
    (found, wanted): (Option<&[usize]>, &[usize]),
) -> Result<(), LocalError> {
    match found {
        Some(found) if found == wanted => Ok(()),
        Some(found) => Err(LocalError::unreadable(format!(
            "tensor {name} in {file} has shape {found:?} and the model's configuration asks for {wanted:?}; take both from the same model"
        ))),
        None => Err(LocalError::unreadable(format!(
            "tensor {name} is not in {file}; get the model's files again"
        ))),
    }
}
