//! Shared libraries of this machine: found and loaded at run time, never unloaded.

use std::ffi::CStr;

use libloading::Library;

/// Tries `files` in order and returns the result of `bind` for the first library it accepts. `name` and `advice` (how to install it) are used in the
/// error message if there is none.
pub(crate) fn load<T>(
    name: &str,
    files: &[&str],
    advice: &str,
    bind: impl Fn(&Library) -> Result<T, String>,
) -> Result<T, String> {
    let mut reasons = Vec::new();
    for file in files {
        // SAFETY: the initializers of the libraries that kinora loads only set up their own globals.
        let library = match unsafe { Library::new(file) } {
            Ok(library) => library,
            Err(error) => {
                let reason = error.to_string();
                if !reason.contains("No such file") {
                    reasons.push(reason);
                }
                continue;
            }
        };
        match bind(&library) {
            Ok(bound) => {
                std::mem::forget(library);
                return Ok(bound);
            }
            Err(reason) => reasons.push(format!("{file}: {reason}")),
        }
    }
    if reasons.is_empty() {
        reasons.push(format!("none of {} was found", files.join(", ")));
    }
    Err(format!(
        "{name} is not usable on this machine: {} ({advice})",
        reasons.join("; ")
    ))
}

/// Returns the address of a function.
///
/// # Safety
/// `T` must be the type of the library's function of that name.
pub(crate) unsafe fn symbol<T: Copy>(library: &Library, name: &CStr) -> Result<T, String> {
    // SAFETY: the caller promises the type.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }
        .map(|symbol| *symbol)
        .map_err(|error| error.to_string())
}
