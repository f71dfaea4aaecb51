//! The functions of libx264: found, checked for a known build, and called.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;

use libloading::Library;

use crate::layout::{BUILDS, Nal, Parameters, Picture};
use crate::wire::Opening;

type Handle = *mut c_void;

/// The loaded library. The name of the function that opens an encoder contains the build number.
pub(crate) struct X264 {
    pub(crate) build: u32,
    default_preset: unsafe extern "C" fn(*mut Parameters, *const c_char, *const c_char) -> c_int,
    parse: unsafe extern "C" fn(*mut Parameters, *const c_char, *const c_char) -> c_int,
    apply_profile: unsafe extern "C" fn(*mut Parameters, *const c_char) -> c_int,
    init_picture: unsafe extern "C" fn(*mut Picture),
    open: unsafe extern "C" fn(*mut Parameters) -> Handle,
    encode: unsafe extern "C" fn(
        Handle,
        *mut *mut Nal,
        *mut c_int,
        *mut Picture,
        *mut Picture,
    ) -> c_int,
    n_delayed: unsafe extern "C" fn(Handle) -> c_int,
    close: unsafe extern "C" fn(Handle),
}

impl X264 {
    /// Loads the newest known build on this machine.
    pub(crate) fn load() -> Result<X264, String> {
        let mut reasons = Vec::new();
        for build in BUILDS.rev() {
            match X264::load_build(build) {
                Ok(Some(x264)) => return Ok(x264),
                Ok(None) => {}
                Err(reason) => reasons.push(reason),
            }
        }
        let (first, last) = (BUILDS.start(), BUILDS.end());
        reasons.extend(
            unknown()
                .map(|name| format!("{name} is not a supported build ({first} to {last} are)")),
        );
        if reasons.is_empty() {
            reasons.push(format!(
                "none of libx264.so.{first} to libx264.so.{last} was found"
            ));
        }
        Err(reasons.join("; "))
    }

    /// Loads one build; returns `None` if there is no file of that build.
    fn load_build(build: u32) -> Result<Option<X264>, String> {
        let file = format!("libx264.so.{build}");
        // SAFETY: the library's initializers only set up its own globals.
        let library = match unsafe { Library::new(&file) } {
            Ok(library) => library,
            Err(e) if e.to_string().contains("No such file") => return Ok(None),
            Err(e) => return Err(e.to_string()),
        };
        let x264 =
            X264::functions(&library, build).map_err(|reason| format!("{file}: {reason}"))?;
        std::mem::forget(library);
        Ok(Some(x264))
    }

    fn functions(library: &Library, build: u32) -> Result<X264, String> {
        let open = CString::new(format!("x264_encoder_open_{build}")).map_err(|e| e.to_string())?;
        // SAFETY: the signatures are those of the header of this build, which is known from the name of the function that opens an encoder.
        unsafe {
            Ok(X264 {
                build,
                default_preset: symbol(library, c"x264_param_default_preset")?,
                parse: symbol(library, c"x264_param_parse")?,
                apply_profile: symbol(library, c"x264_param_apply_profile")?,
                init_picture: symbol(library, c"x264_picture_init")?,
                open: symbol(library, &open)?,
                encode: symbol(library, c"x264_encoder_encode")?,
                n_delayed: symbol(library, c"x264_encoder_delayed_frames")?,
                close: symbol(library, c"x264_encoder_close")?,
            })
        }
    }
}

/// Finds a libx264 of another build in the usual folders, for the error message.
fn unknown() -> Option<String> {
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(std::path::PathBuf::from);
    let arch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let names = folders
        .into_iter()
        .chain([arch.into()])
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_unknown = |name: &String| {
        let build = name.strip_prefix("libx264.so.").map(str::parse::<u32>);
        build.is_some_and(|build| build.is_ok_and(|build| !BUILDS.contains(&build)))
    };
    names.into_iter().find(is_unknown)
}

/// An open encoder.
pub(crate) struct Encoder<'a> {
    x264: &'a X264,
    handle: Handle,
    size: (u32, u32),
    input: Box<Picture>,
    output: Box<Picture>,
}

impl<'a> Encoder<'a> {
    /// Opens an encoder; returns an error if the library rejects the settings.
    pub(crate) fn open(x264: &'a X264, opening: &Opening) -> Result<Encoder<'a>, String> {
        let mut parameters = Parameters::zeroed();
        let c_string = |text: &str| CString::new(text).map_err(|_| "a setting contains a NUL");
        let mut settings = opening.parameters.iter();
        let preset = settings
            .next()
            .filter(|(name, _)| name == "preset")
            .ok_or("the first setting is not a preset")?;
        let refused = |(name, value): &(String, String)| format!("x264 refuses {name}={value}");
        let value = c_string(&preset.1)?;
        // SAFETY: the block is larger than the structure of every known build; the strings end with a NUL and outlive the calls.
        let code = unsafe {
            (x264.default_preset)(&raw mut *parameters, value.as_ptr(), std::ptr::null())
        };
        if code < 0 {
            return Err(refused(preset));
        }
        for setting in settings {
            let (name, value) = (c_string(&setting.0)?, c_string(&setting.1)?);
            // SAFETY: as above; the library has filled the structure.
            let code = unsafe { (x264.parse)(&raw mut *parameters, name.as_ptr(), value.as_ptr()) };
            if code != 0 {
                return Err(refused(setting));
            }
        }
        parameters.set_picture(opening.width, opening.height);
        // SAFETY: as above; the library copies the parameters.
        let handle = unsafe {
            if (x264.apply_profile)(&raw mut *parameters, c"high".as_ptr()) < 0 {
                return Err("x264 cannot use the High profile with these settings".to_owned());
            }
            (x264.open)(&raw mut *parameters)
        };
        if handle.is_null() {
            return Err("x264 refuses the settings".to_owned());
        }
        let (mut input, output) = (Picture::zeroed(), Picture::zeroed());
        // SAFETY: the block is larger than the structure of every known build.
        unsafe { (x264.init_picture)(&raw mut *input) };
        Ok(Encoder {
            x264,
            handle,
            size: (opening.width, opening.height),
            input,
            output,
        })
    }

    /// Encodes a frame. If a frame is finished, returns its number (the frame that is shown) and its data.
    pub(crate) fn encode(
        &mut self,
        planes: &[u8],
        number: u64,
        is_key: bool,
    ) -> Result<Option<(u64, &[u8])>, String> {
        self.input.show(planes, self.size, is_key);
        self.input.pts = i64::try_from(number).map_err(|_| "the number of a frame is too large")?;
        let input = &raw mut *self.input;
        // SAFETY: the picture's planes live through the call, and the library copies them.
        unsafe { self.step(input) }
    }

    /// Returns whether the encoder still holds frames.
    pub(crate) fn has_more(&self) -> bool {
        // SAFETY: the encoder is open.
        unsafe { (self.x264.n_delayed)(self.handle) > 0 }
    }

    /// Returns the next frame that the encoder still holds.
    pub(crate) fn flush(&mut self) -> Result<Option<(u64, &[u8])>, String> {
        // SAFETY: null means that no frame follows.
        unsafe { self.step(null_mut()) }
    }

    /// Encodes `input` and returns a finished frame, if any.
    ///
    /// # Safety
    /// `input` must be null or a picture whose planes can be read.
    unsafe fn step(&mut self, input: *mut Picture) -> Result<Option<(u64, &[u8])>, String> {
        let (mut nals, mut n_nals) = (null_mut::<Nal>(), 0);
        // SAFETY: the encoder is open and the other pointers are valid to write; the caller promises the input. The payloads of the units are contiguous,
        // add up to the returned number of bytes, and stay valid until the next call, before which this borrow ends.
        let data = unsafe {
            let n_bytes = (self.x264.encode)(
                self.handle,
                &raw mut nals,
                &raw mut n_nals,
                input,
                &raw mut *self.output,
            );
            let n_bytes =
                usize::try_from(n_bytes).map_err(|_| "x264 failed to encode a frame".to_owned())?;
            if n_bytes == 0 || n_nals == 0 {
                return Ok(None);
            }
            std::slice::from_raw_parts((*nals).payload, n_bytes)
        };
        let shown = u64::try_from(self.output.pts)
            .map_err(|_| "x264 returned a frame before the first one".to_owned())?;
        Ok(Some((shown, data)))
    }
}

impl Drop for Encoder<'_> {
    fn drop(&mut self) {
        // SAFETY: the encoder is open and not used after this.
        unsafe { (self.x264.close)(self.handle) };
    }
}

/// Looks up the address of a function.
///
/// # Safety
/// `T` must be the type of a pointer to the function of that name.
unsafe fn symbol<T: Copy>(library: &Library, name: &CStr) -> Result<T, String> {
    // SAFETY: the caller promises the type.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }
        .map(|symbol| *symbol)
        .map_err(|error| error.to_string())
}
