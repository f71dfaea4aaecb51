//! Keeps SVT-AV1 from printing its banner and settings to the standard error of the program.

use std::ffi::{CStr, c_char};
use std::sync::Once;

/// Errors and fatal errors only (`SvtLogLevel` of the library).
const ERRORS_ONLY: &CStr = c"SVT_LOG=1";

/// Makes the library print errors only, unless the user set `SVT_LOG`.
///
/// The library has no call for it: it calls `getenv("SVT_LOG")` each time an encoder is opened. Changing the environment through `setenv` is not
/// allowed once there are threads, because it may free the array of entries under a reader. So the array is replaced as a whole, once, by a longer
/// copy that is never freed; the old array and all entries stay valid for any thread that still reads them.
#[cfg(target_os = "linux")]
pub(super) fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("SVT_LOG").is_some() {
            return;
        }
        // SAFETY: `environ` is the C library's array of entries, terminated by a null pointer; it is read the way `getenv` reads it. The pointer is stored
        // atomically, and the old array, the new array and all their entries stay valid forever.
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

/// Does nothing: on other systems the environment is not a plain array, so the library may print.
#[cfg(not(target_os = "linux"))]
pub(super) fn silence() {}
