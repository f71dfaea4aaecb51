//! An open encoder of SVT-AV1: frames in, temporal units out. No other module calls the library to encode.

use std::ffi::{CString, c_int};
use std::ptr::null_mut;
use std::sync::{MutexGuard, PoisonError};

use super::layout::{Config, Header, Picture, Received};
use super::library::{EMPTY_QUEUE, Handle, OK, Svt};
use super::quiet;
use crate::encode::groups::Unit;
use crate::encode::sequence::encoder_error;
use crate::error::{Error, Result};
use crate::frame::Frame;

/// The encoder.
pub(super) struct Session {
    svt: &'static Svt,
    handle: Handle,
    stage: Stage,
}

/// How far an encoder is; determines how it is closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Settings are applied, no thread runs.
    Configured,
    /// Frames may be sent.
    Running,
    /// The end was announced; packets are still inside.
    Ending,
    /// The last packet was received.
    Ended,
}

// SAFETY: the library ties a handle to no thread, and `&mut self` rules out concurrent calls.
unsafe impl Send for Session {}

impl Session {
    /// Opens an encoder with `parameters` by name. Returns an error if the library rejects them.
    pub(super) fn open(svt: &'static Svt, parameters: &[(&str, String)]) -> Result<Session> {
        quiet::silence();
        let mut session = Session {
            svt,
            handle: null_mut(),
            stage: Stage::Configured,
        };
        let mut config = Config::zeroed();
        let _door = door(svt);
        // SAFETY: both pointers are valid and the door is held.
        let code = unsafe { svt.open(&mut session.handle, &mut config) };
        check(code, "opening an encoder")?;
        for (name, value) in parameters {
            set(svt, &mut config, name, value)?;
        }
        // SAFETY: the handle is open; the library copies the configuration.
        let code = unsafe { (svt.set_parameter)(session.handle, &raw mut *config) };
        check(code, "applying the settings")?;
        Ok(session)
    }

    fn start(&mut self) -> Result<()> {
        let _door = door(self.svt);
        // SAFETY: the handle is open and configured.
        check(unsafe { (self.svt.init)(self.handle) }, "starting")?;
        self.stage = Stage::Running;
        Ok(())
    }

    fn send(&mut self, header: &mut Header) -> Result<()> {
        // SAFETY: the encoder runs; the library copies the frame before it returns, and what the header points to lives that long.
        let code = unsafe { (self.svt.send_picture)(self.handle, header) };
        check(code, "accepting a frame")
    }

    /// Returns the next packet; `None` when none is ready. Waits for one after the end was announced.
    fn receive(&mut self) -> Result<Option<Received>> {
        let mut header = null_mut();
        let is_ending = self.stage == Stage::Ending;
        // SAFETY: the encoder runs; a returned header is read and released before any other call.
        let received = unsafe {
            let code = (self.svt.get_packet)(self.handle, &raw mut header, is_ending.into());
            if code == EMPTY_QUEUE || (code == OK && header.is_null()) {
                return Ok(None);
            }
            if !header.is_null() && code != OK {
                (self.svt.release_out_buffer)(&raw mut header);
            }
            check(code, "encoding")?;
            let received = Received::copy(&self.svt.layout, header);
            (self.svt.release_out_buffer)(&raw mut header);
            received
        };
        if received.is_last {
            self.stage = Stage::Ended;
        }
        Ok(Some(received))
    }

    /// Collects the packets that are ready, or all remaining ones after the end was announced.
    fn drain(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        while let Some(received) = self.receive()? {
            if !received.data.is_empty() {
                out.push(Unit {
                    data: received.data,
                    shown: received.pts as u64,
                });
            }
            if self.stage == Stage::Ended {
                break;
            }
        }
        Ok(())
    }

    /// Encodes the next frame; finished units are added to `out`.
    pub(super) fn encode(
        &mut self,
        frame: &Frame,
        is_key: bool,
        out: &mut Vec<Unit>,
    ) -> Result<()> {
        if self.stage == Stage::Configured {
            self.start()?;
        }
        if self.stage != Stage::Running {
            return Err(encoder_error("a frame came after the end of the video"));
        }
        let layout = &self.svt.layout;
        let mut picture = Picture::new(layout, frame.planes(), frame.size);
        let mut header = Header::frame(layout, &mut picture, frame.index as i64, is_key);
        self.send(&mut header)?;
        self.drain(out)
    }

    /// Ends the stream: adds every remaining unit to `out`.
    pub(super) fn finish(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        if self.stage == Stage::Running {
            self.end()?;
            self.drain(out)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let mut header = Header::end(&self.svt.layout);
        self.send(&mut header)?;
        self.stage = Stage::Ending;
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // The library's threads can only be stopped between frames: the remaining frames are encoded and discarded. Errors do not matter here.
        if self.stage == Stage::Running && self.end().is_err() {
            return;
        }
        while self.stage == Stage::Ending {
            if !matches!(self.receive(), Ok(Some(_))) {
                break;
            }
        }
        let _door = door(self.svt);
        // SAFETY: the handle is open and not used after this.
        unsafe {
            if self.stage != Stage::Configured {
                (self.svt.deinit)(self.handle);
            }
            (self.svt.deinit_handle)(self.handle);
        }
        give_memory_back();
    }
}

/// Returns freed memory to the system. The library allocates from many threads, and glibc keeps what they freed for threads that never run again:
/// 1.4 GB instead of 0.6 after several groups of pictures.
fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn set(svt: &Svt, config: &mut Config, name: &str, value: &str) -> Result<()> {
    let c_name = CString::new(name).expect("names have no zero byte");
    let c_value = CString::new(value).expect("numbers have no zero byte");
    // SAFETY: the configuration was filled by the library of the same version; both strings end in a zero byte.
    let code = unsafe { (svt.parse_parameter)(config, c_name.as_ptr(), c_value.as_ptr()) };
    check(code, &format!("setting {name} to {value}"))
}

fn door(svt: &Svt) -> MutexGuard<'_, ()> {
    svt.door.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check(code: c_int, doing: &str) -> Result<()> {
    if code == OK {
        return Ok(());
    }
    Err(refused(code, doing))
}

fn refused(code: c_int, doing: &str) -> Error {
    let reason = match code as u32 {
        0x8000_1000 => "not enough memory or threads",
        0x8000_1005 => "bad parameter",
        0x8000_1004 => "bad handle",
        _ => "internal error",
    };
    encoder_error(format!(
        "SVT-AV1 failed while {doing}: {reason} ({code:#x})"
    ))
}
