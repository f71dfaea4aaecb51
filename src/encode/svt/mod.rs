//! AV1 by SVT-AV1, from the machine's shared library: the fastest AV1 encoder, where it is installed.

mod layout;
mod library;
mod parameters;
mod quiet;

use std::ffi::{CString, c_int};
use std::ptr::null_mut;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, MutexGuard, PoisonError};

use layout::{Config, Header, Picture, Received};
use library::{EMPTY_QUEUE, Handle, OK, Svt};
use parameters::{ROWS, Row, parameters};

use crate::encode::obu;
use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::{Error, Result};
use crate::frame::{Frame, Packet};
use crate::plan::draw::DrawList;

/// Least side of a picture that the library takes.
pub(super) const MIN_SIDE: u32 = 64;

/// Version of the library, or why there is none.
pub(super) fn version() -> std::result::Result<String, String> {
    Svt::get().map(|svt| svt.version_text.clone())
}

/// The encoder.
pub(super) struct SvtAv1 {
    svt: &'static Svt,
    handle: Handle,
    stage: Stage,
    sequence: Sequence,
    sequence_header: Option<Vec<u8>>,
    row: Row,
}

/// How far an encoder is; decides what closing it takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Settings are in, no thread runs.
    Configured,
    /// Frames may be sent.
    Running,
    /// The end was announced; packets are still inside.
    Ending,
    /// The last packet came out.
    Ended,
}

// SAFETY: the library ties a handle to no thread, and `&mut self` keeps calls apart.
unsafe impl Send for SvtAv1 {}

impl SvtAv1 {
    /// Fails when the library is missing or of an unknown version, or refuses the settings.
    pub(super) fn new(settings: &VideoSettings) -> Result<SvtAv1> {
        let svt = Svt::get().map_err(encoder_error)?;
        if settings.size.width < MIN_SIDE || settings.size.height < MIN_SIDE {
            return Err(encoder_error(format!(
                "SVT-AV1 takes no picture of {}: each side must be at least {MIN_SIDE}",
                settings.size
            )));
        }
        let sequence = Sequence::new(settings)?;
        let row = ROWS[settings.quality.row()];
        let mut encoder = SvtAv1 {
            svt,
            handle: null_mut(),
            stage: Stage::Configured,
            sequence,
            sequence_header: None,
            row,
        };
        encoder.configure(settings)?;
        Ok(encoder)
    }

    fn configure(&mut self, settings: &VideoSettings) -> Result<()> {
        quiet::silence();
        let mut config = Config::zeroed();
        let _door = door(self.svt);
        // SAFETY: both pointers are valid and the door is held.
        let code = unsafe { self.svt.open(&mut self.handle, &mut config) };
        check(code, "opening an encoder")?;
        for (name, value) in parameters(settings, self.row, self.parallelism(settings.threads)) {
            set(self.svt, &mut config, name, &value)?;
        }
        // SAFETY: the handle is open; the library copies the configuration.
        let code = unsafe { (self.svt.set_parameter)(self.handle, &raw mut *config) };
        check(code, "taking the settings")
    }

    /// The parameter `lp` for a number of threads.
    fn parallelism(&self, n_threads: usize) -> u32 {
        match self.svt.version.can_hang_in_parallel() {
            true => 1,
            false => parameters::parallelism(n_threads, self.svt.layout.lp_is_level),
        }
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
        check(code, "taking a frame")
    }

    /// The next packet; `None` when none is ready. Waits for one when the end was announced.
    fn receive(&mut self) -> Result<Option<Received>> {
        let mut header = null_mut();
        let is_ending = self.stage == Stage::Ending;
        // SAFETY: the encoder runs; a header that is given out is read and released before anything else is asked.
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

    /// Takes out what is ready; all that is left when the end was announced.
    fn drain(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        while let Some(received) = self.receive()? {
            if !received.data.is_empty() {
                self.add(received, out)?;
            }
            if self.stage == Stage::Ended {
                break;
            }
        }
        Ok(())
    }

    fn add(&mut self, received: Received, out: &mut Vec<Packet>) -> Result<()> {
        let unit = obu::temporal_unit(&received.data).ok_or_else(|| {
            encoder_error(format!(
                "SVT-AV1 gave a broken temporal unit for frame {}",
                received.pts
            ))
        })?;
        if self.sequence_header.is_none() {
            self.sequence_header = unit.sequence_header;
        }
        out.push(self.sequence.stamp(unit.data, unit.is_sync)?);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let mut header = Header::end(&self.svt.layout);
        self.send(&mut header)?;
        self.stage = Stage::Ending;
        Ok(())
    }
}

impl VideoEncoder for SvtAv1 {
    fn encode(&mut self, frame: &Frame, _known: &DrawList, out: &mut Vec<Packet>) -> Result<()> {
        let is_key = self.sequence.admit(frame)?;
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

    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        self.sequence.check_not_empty()?;
        if self.stage == Stage::Running {
            self.end()?;
            self.drain(out)?;
        }
        self.sequence.check_complete()
    }

    fn config(&self) -> Result<VideoConfig> {
        self.sequence_header
            .clone()
            .map(|sequence_header| VideoConfig::Av1 { sequence_header })
            .ok_or_else(|| encoder_error("the sequence header comes with the first packet"))
    }

    fn name(&self) -> String {
        format!(
            "SVT-AV1 {}, preset {}, crf {}",
            self.svt.version_text, self.row.preset, self.row.crf
        )
    }

    fn pulse(&self) -> Arc<AtomicU64> {
        self.sequence.pulse()
    }
}

impl Drop for SvtAv1 {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // The library's threads can only be stopped between frames: what is inside is encoded and thrown away. Errors on the way change nothing.
        if self.stage == Stage::Running && self.end().is_err() {
            return;
        }
        while self.stage == Stage::Ending {
            if !matches!(self.receive(), Ok(Some(_))) {
                break;
            }
        }
        let _door = door(self.svt);
        // SAFETY: the handle is open and used no more after this.
        unsafe {
            if self.stage != Stage::Configured {
                (self.svt.deinit)(self.handle);
            }
            (self.svt.deinit_handle)(self.handle);
        }
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
        _ => "error of the library",
    };
    encoder_error(format!("SVT-AV1 failed at {doing}: {reason} ({code:#x})"))
}
