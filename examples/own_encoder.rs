//! Renders with an encoder of the caller's, here the crate openh264: `cargo run --example own_encoder -- TIMELINE.json OUT.mp4`
#![allow(missing_docs, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use kinora::encode::{VideoCodec, VideoConfig, VideoEncoder, VideoSettings};
use kinora::error::{Error, ErrorKind, Result};
use kinora::frame::{Frame, Packet};
use kinora::scene::draw::DrawList;
use kinora::{Control, Engine, Render, media::FolderAssets, units::Time};
use openh264::encoder::{BitRate, Encoder, EncoderConfig, RateControlMode};
use openh264::{OpenH264API, formats::YUVSlices};

struct Mine(Encoder, VideoSettings, Option<VideoConfig>);

impl VideoEncoder for Mine {
    fn encode(&mut self, frame: &Frame, _: &DrawList, out: &mut Vec<Packet>) -> Result<()> {
        let width = frame.size.width as usize;
        let size = (width, frame.size.height as usize);
        let yuv = YUVSlices::new(frame.planes().into(), size, (width, width / 2, width / 2));
        if self.1.keyframes.contains(&frame.index) {
            self.0.force_intra_frame();
        }
        let coded = self.0.encode(&yuv).map_err(failed)?;
        let (mut data, mut sets) = (Vec::new(), Vec::new());
        for layer in (0..coded.num_layers()).filter_map(|i| coded.layer(i)) {
            for unit in (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)) {
                let unit = &unit[4..]; // after the start code
                match unit[0] & 31 {
                    7 | 8 => sets.push(unit.to_vec()),
                    _ => data.extend([&(unit.len() as u32).to_be_bytes()[..], unit].concat()),
                }
            }
        }
        let is_sync = !sets.is_empty();
        if let Ok([sps, pps]) = <[Vec<u8>; 2]>::try_from(sets) {
            self.2 = Some(VideoConfig::Avc { sps, pps });
        }
        let [pts, next] = [0, 1].map(|n| self.1.rate.time_of(frame.index + n));
        let duration = Time(next.0 - pts.0);
        out.push(Packet {
            data,
            pts,
            dts: pts,
            duration,
            is_sync,
        });
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<Packet>) -> Result<()> {
        Ok(())
    }

    fn config(&self) -> Result<VideoConfig> {
        self.2.clone().ok_or_else(|| failed("no frame was encoded"))
    }

    fn name(&self) -> String {
        "my openh264".into()
    }
}

fn failed(why: impl ToString) -> Error {
    Error::new(ErrorKind::Encoder, why.to_string())
}

fn open(settings: &VideoSettings) -> Result<Box<dyn VideoEncoder>> {
    let config = EncoderConfig::new()
        .skip_frames(false)
        .bitrate(BitRate::from_bps(4_000_000));
    let config = config.rate_control_mode(RateControlMode::Bitrate);
    let encoder = Encoder::with_api_config(OpenH264API::from_source(), config).map_err(failed)?;
    Ok(Box::new(Mine(encoder, settings.clone(), None)))
}

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(std::path::PathBuf::from);
    let (Some(timeline), Some(output)) = (arguments.next(), arguments.next()) else {
        panic!("usage: own_encoder TIMELINE.json OUT.mp4");
    };
    let text = std::fs::read_to_string(&timeline).expect("the timeline can be read");
    let assets = Arc::new(FolderAssets::new(
        timeline.parent().expect("it lies in a folder"),
    ));
    let engine = Engine::builder().encoder(Arc::new(open)).build();
    let control = Control::default();
    let job = engine.job_from_json(&text, assets, &control)?;
    let options = Render {
        codec: Some(VideoCodec::H264),
        ..Render::default()
    };
    let report = kinora::render_to_file(&job, &output, &options, &control)?;
    println!("{} frames by {}", report.n_frames, report.video_encoder);
    Ok(())
}
