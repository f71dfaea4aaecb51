//! H.264 by openh264, built in: High profile, CABAC, one quantizer for all frames, no reordering.
//!
//! The library is driven through its raw interface because the safe one can set neither the quantizer nor CABAC. Each encoder runs on one thread: more
//! would split pictures into slices. Several encoders run in parallel, each on a group of pictures.

mod handle;

use std::sync::Arc;

use handle::{Handle, Row};
use openh264_sys2::{self as sys, API};

use crate::encode::VideoSettings;
use crate::encode::avc::{Avc, push_nal, starts};
use crate::encode::grouped::{GroupedEncoder, Library};
use crate::encode::groups::{GroupEncoder, Unit, Waiting};
use crate::encode::sequence::encoder_error;
use crate::error::Result;
use crate::units::Size;

/// Maximum length of the longer and of the shorter side.
const MAX_SIDES: (u32, u32) = (3840, 2160);

/// Low, medium, high: the same SSIM as SVT-AV1's rows.
const ROWS: [Row; 3] = [
    Row {
        qp: 25,
        complexity: sys::LOW_COMPLEXITY,
    },
    Row {
        qp: 23,
        complexity: sys::LOW_COMPLEXITY,
    },
    Row {
        qp: 18,
        complexity: sys::MEDIUM_COMPLEXITY,
    },
];

/// Returns the version of the library; an error only where a build leaves it out.
pub(super) fn version() -> std::result::Result<String, String> {
    Ok(linked_version())
}

fn linked_version() -> String {
    // SAFETY: takes nothing and returns a plain structure.
    let v = unsafe { sys::DynamicAPI::from_source().WelsGetCodecVersion() };
    format!("{}.{}.{}", v.uMajor, v.uMinor, v.uRevision)
}

/// Opens an encoder for a video.
///
/// Returns an error if the size exceeds the library's limit or the library rejects the settings.
pub(super) fn open(settings: &VideoSettings) -> Result<GroupedEncoder> {
    let Size { width, height } = settings.size;
    if width.max(height) > MAX_SIDES.0 || width.min(height) > MAX_SIDES.1 {
        return Err(encoder_error(format!(
            "openh264 does not support pictures of {}: at most {}x{}, in either orientation",
            settings.size, MAX_SIDES.0, MAX_SIDES.1
        )));
    }
    let row = ROWS[settings.quality.row()];
    // Reports rejected settings before the first frame.
    Handle::open(settings, row)?;
    let library = Library {
        library: "openh264",
        name: format!("openh264 {}, qp {}", linked_version(), row.qp),
        format: Box::new(Avc::default()),
        lead: 0,
        n_threads: settings.threads.max(1),
        starts: starts(&settings.keyframes),
    };
    let settings_of_groups = settings.clone();
    let open = move |_first, _is_cancelled: &Arc<_>| {
        let handle = Handle::open(&settings_of_groups, row)?;
        Ok(Box::new(Group { handle }) as Box<dyn GroupEncoder>)
    };
    GroupedEncoder::new(settings, library, Arc::new(open))
}

/// One group in an encoder.
struct Group {
    handle: Handle,
}

impl GroupEncoder for Group {
    fn encode(&mut self, frame: Waiting, is_key: bool, out: &mut Vec<Unit>) -> Result<()> {
        let shown = frame.index;
        let nals = self.handle.encode(&frame, is_key)?;
        drop(frame);
        let mut data = Vec::with_capacity(nals.iter().map(|nal| nal.len() + 4).sum());
        for nal in &nals {
            push_nal(nal, &mut data)?;
        }
        out.push(Unit { data, shown });
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<Unit>) -> Result<()> {
        Ok(())
    }
}
