//! Keeps SVT-AV1 from printing its banner and settings to the standard error of the program.

use std::ffi::{CStr, c_char};
use std::sync::Once;

/// Errors and fatal errors only (`SvtLogLevel` of the library).
const ERRORS_ONLY: &CStr = c"SVT_LOG=1";

/// Makes the library print errors only, unless the user set `SVT_LOG`.
///
/// The library has no call for it: it asks `getenv("SVT_LOG")` each time an encoder is opened. Changing the environment through `setenv` is not
/// allowed once there are threads, because it may free the array of entries under a reader. So the array is replaced as a whole, once, by a longer
/// copy that is never freed; the old one and all entries stay valid for whoever still reads them.
#[cfg(target_os = "linux")]
pub(super) fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("SVT_LOG").is_some() {
            return;
        }
        // SAFETY: `environ` is the C library's array of entries, ended by a null pointer; it is read like `getenv` reads it. A pointer is stored
        // in one piece, both the array before and the one after stay valid for ever, and all their entries too.
        unsafe {
            let entries = (&raw const environ).read_volatile();
            if entries.is_null() {
                return;
            }
            let n_entries = (0..).take_while(|&i| !(*entries.add(i)).is_null()).count();
            let mut longer = std::slice::from_raw_parts(entries, n_entries).to_vec();
            longer.push(ERRORS_ONLY.as_ptr());
            longer.push(std::ptr::null());
            (&raw mut environ).write_volatile(longer.leak().as_ptr());
        }
    });
}

#[cfg(target_os = "linux")]
unsafe extern "C" {
    static mut environ: *const *const c_char;
}

/// Elsewhere the environment is not a plain array: the library may print.
#[cfg(not(target_os = "linux"))]
pub(super) fn silence() {}
