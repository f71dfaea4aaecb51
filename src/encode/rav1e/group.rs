//! One closed group of pictures through rav1e, on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender};
use rav1e::prelude as av1;

use crate::encode::VideoSettings;
use crate::encode::sequence::encoder_error;
use crate::error::Result;
use crate::frame::Frame;

/// A row of settings.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Speed preset, 10 the fastest.
    pub(super) speed: u8,
    /// Base quantizer index, 0..=255, less is better.
    pub(super) quantizer: usize,
}

/// A raw frame on its way to a thread; gives its token back when it is dropped, wherever that is.
pub(super) struct Waiting {
    pub(super) frame: Frame,
    pub(super) tokens: Receiver<()>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let returned = self.tokens.try_recv();
        debug_assert!(returned.is_ok(), "every waiting frame holds a token");
    }
}

/// The settings of every group; the sequence headers are equal because these are.
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

/// Encodes one group; stops without an error when cancelled.
pub(super) fn encode_group(
    config: &av1::Config,
    frames: &Receiver<Waiting>,
    packets: &Sender<Result<Vec<u8>>>,
    is_cancelled: &AtomicBool,
) -> Result<()> {
    let mut context: av1::Context<u8> = config
        .new_context()
        .map_err(|e| encoder_error("rav1e refused the settings").with_source(e))?;
    for waiting in frames {
        let frame = picture(&context, &waiting.frame);
        drop(waiting);
        context
            .send_frame(frame)
            .map_err(|e| encoder_error("rav1e refused a frame").with_source(e))?;
        receive(&mut context, packets, is_cancelled)?;
    }
    context.flush();
    receive(&mut context, packets, is_cancelled)
}

/// Takes every packet that is ready.
fn receive(
    context: &mut av1::Context<u8>,
    packets: &Sender<Result<Vec<u8>>>,
    is_cancelled: &AtomicBool,
) -> Result<()> {
    while !is_cancelled.load(Ordering::Relaxed) {
        match context.receive_packet() {
            Ok(packet) => {
                if packets.send(Ok(packet.data)).is_err() {
                    return Ok(());
                }
            }
            Err(av1::EncoderStatus::Encoded) => {}
            Err(av1::EncoderStatus::NeedMoreData | av1::EncoderStatus::LimitReached) => break,
            Err(e) => return Err(encoder_error("rav1e failed").with_source(e)),
        }
    }
    Ok(())
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
