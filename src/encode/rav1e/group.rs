//! One closed group of pictures through rav1e.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rav1e::prelude as av1;

use crate::encode::VideoSettings;
use crate::encode::groups::{GroupEncoder, Unit, Waiting};
use crate::encode::sequence::encoder_error;
use crate::error::Result;
use crate::frame::Frame;

/// A row of settings.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Speed preset, 10 is the fastest.
    pub(super) speed: u8,
    /// Base quantizer index, 0..=255, lower is better.
    pub(super) quantizer: usize,
}

/// Returns the settings, the same for every group, so that the sequence headers are equal.
pub(super) fn encoder_config(settings: &VideoSettings, row: Row) -> av1::EncoderConfig {
    let mut config = av1::EncoderConfig::with_speed_preset(row.speed);
    config.width = settings.size.width as usize;
    config.height = settings.size.height as usize;
    config.time_base = av1::Rational::new(settings.rate.den().into(), settings.rate.num().into());
    config.pixel_range = av1::PixelRange::Limited;
    config.color_description = Some(av1::ColorDescription {
        color_primaries: av1::ColorPrimaries::BT709,
        transfer_characteristics: av1::TransferCharacteristics::BT709,
        matrix_coefficients: av1::MatrixCoefficients::BT709,
    });
    config.quantizer = row.quantizer;
    // Key frames only at the start of a group.
    config.set_key_frame_interval(0, 0);
    config.speed_settings.scene_detection_mode = av1::SceneDetectionSpeed::None;
    config.low_latency = true;
    config.speed_settings.rdo_lookahead_frames = 1;
    config
}

/// One group in an encoder.
pub(super) struct Group {
    context: av1::Context<u8>,
    /// Index of the frame shown by the next packet.
    next: u64,
    is_cancelled: Arc<AtomicBool>,
}

impl Group {
    /// Opens an encoder for the group whose first frame has index `first`.
    pub(super) fn open(
        config: &av1::Config,
        first: u64,
        is_cancelled: &Arc<AtomicBool>,
    ) -> Result<Group> {
        let context = config
            .new_context()
            .map_err(|e| encoder_error("rav1e refused the settings").with_source(e))?;
        Ok(Group {
            context,
            next: first,
            is_cancelled: is_cancelled.clone(),
        })
    }

    /// Collects every packet that is ready.
    fn receive(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        while !self.is_cancelled.load(Ordering::Relaxed) {
            match self.context.receive_packet() {
                Ok(packet) => {
                    out.push(Unit {
                        data: packet.data,
                        shown: self.next,
                    });
                    self.next += 1;
                }
                Err(av1::EncoderStatus::Encoded) => {}
                Err(av1::EncoderStatus::NeedMoreData | av1::EncoderStatus::LimitReached) => break,
                Err(e) => return Err(encoder_error("rav1e failed").with_source(e)),
            }
        }
        Ok(())
    }
}

impl GroupEncoder for Group {
    fn encode(&mut self, frame: Waiting, _is_key: bool, out: &mut Vec<Unit>) -> Result<()> {
        let picture = picture(&self.context, &frame);
        drop(frame);
        self.context
            .send_frame(picture)
            .map_err(|e| encoder_error("rav1e refused a frame").with_source(e))?;
        self.receive(out)
    }

    fn finish(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        self.context.flush();
        self.receive(out)
    }
}

fn picture(context: &av1::Context<u8>, frame: &Frame) -> av1::Frame<u8> {
    let mut picture = context.new_frame();
    let width = frame.size.width as usize;
    let strides = [width, width / 2, width / 2];
    for ((target, plane), stride) in picture.planes.iter_mut().zip(frame.planes()).zip(strides) {
        target.copy_from_raw_u8(plane, stride, 1);
    }
    picture
}
