//! Checks that need pixels: captions with low contrast, and black spans. A few frames are composed without their captions.

use std::collections::hash_map::Entry;

use super::{contrast, spread};
use crate::compose::{Compositor, Pictures};
use crate::error::{Error, ErrorKind, Result, Warning};
use crate::frame::Frame;
use crate::job::Job;
use crate::media;
use crate::options::Render;
use crate::plan::{Plan, ShownPage, is_caption};
use crate::scene::draw::{Layer, PictureId};
use crate::units::{Color, Time};

/// Maximum number of caption pages checked.
const MOST_PAGES: usize = 36;
/// Maximum number of other instants checked.
const MOST_SCENES: usize = 24;
/// A frame with mean luma (16 to 235) below this is black.
const DARK: f64 = 20.0;
/// Maximum number of black spans reported.
const MOST_SPANS: usize = 8;

/// A frame to check.
#[derive(Clone, Copy)]
struct Sight<'a> {
    frame: u64,
    page: Option<ShownPage<'a>>,
}

/// A page whose letters have too little contrast.
struct Weak<'a> {
    page: ShownPage<'a>,
    at: Time,
    fill: Color,
    ratio: f32,
}

/// Composes the stills and returns what they show.
pub(super) fn check(job: &Job, options: &Render) -> Result<Vec<Warning>> {
    let plan = job.plan();
    let sights = sights(plan);
    let mut easel = Easel::new(job, options)?;
    let (mut weak, mut lumas, mut n_pages) = (Vec::new(), Vec::new(), 0);
    for sight in &sights {
        let (frame, captions) = easel
            .draw(sight.frame)
            .map_err(|e| e.at(plan.place_of(sight.frame)))?;
        lumas.push((sight.frame, mean_luma(&frame)));
        let Some(page) = sight.page else { continue };
        n_pages += 1;
        let ground = contrast::mean_color(&frame, page.ink());
        let found = ground.and_then(|ground| contrast::weakest(&captions, ground));
        if let Some((fill, ratio)) = found.filter(|(_, ratio)| *ratio < contrast::LEAST_RATIO) {
            let at = plan.rate.time_of(sight.frame);
            weak.push(Weak {
                page,
                at,
                fill,
                ratio,
            });
        }
    }
    let mut warnings: Vec<Warning> = told_weak(plan, &weak, n_pages).into_iter().collect();
    warnings.extend(dark_spans(plan, &lumas));
    Ok(warnings)
}

/// Returns the middles of pages and of the stretches between keyframes; if there are few enough, every cut has a sample on both sides.
fn sights(plan: &Plan) -> Vec<Sight<'_>> {
    let pages: Vec<_> = plan.caption_pages().collect();
    let middle = |page: ShownPage| {
        let span = page.span();
        Time(span.start.0 + (span.end.0 - span.start.0) / 2)
    };
    let mut sights: Vec<Sight> = spread(&pages, MOST_PAGES)
        .into_iter()
        .map(|page| Sight {
            frame: plan
                .rate
                .frame_at_or_after(middle(page))
                .min(plan.n_frames - 1),
            page: Some(page),
        })
        .collect();
    let ends = plan.keyframes.iter().skip(1).copied();
    let stretches = plan.keyframes.iter().zip(ends.chain([plan.n_frames]));
    let middles: Vec<u64> = stretches.map(|(from, to)| from + (to - from) / 2).collect();
    let scenes = spread(&middles, MOST_SCENES).into_iter();
    sights.extend(scenes.map(|frame| Sight { frame, page: None }));
    sights.sort_by_key(|sight| sight.frame);
    sights
}

/// Composes single frames in rising order; pictures are kept while visible.
struct Easel<'a> {
    job: &'a Job,
    compositor: Compositor,
    pool: rayon::ThreadPool,
    pictures: Pictures,
}

impl<'a> Easel<'a> {
    fn new(job: &'a Job, options: &Render) -> Result<Easel<'a>> {
        Ok(Easel {
            job,
            compositor: job.compositor(options.backend)?,
            pool: options.pool()?,
            pictures: Pictures::new(),
        })
    }

    /// Returns the frame without its captions, and the captions.
    fn draw(&mut self, index: u64) -> Result<(Frame, Vec<Layer>)> {
        let plan = self.job.plan();
        for (id, wanted) in (0..).map(PictureId).zip(&plan.pictures) {
            if !(wanted.first_frame..wanted.end_frame).contains(&index) {
                self.pictures.remove(&id);
            } else if let Entry::Vacant(place) = self.pictures.entry(id) {
                place.insert(media::load(wanted, &**self.job.assets())?);
            }
        }
        self.pictures
            .retain(|id, _| (id.0 as usize) < plan.pictures.len());
        let clips = media::load_clips(&plan.clips, index, &**self.job.assets())?;
        self.pictures.extend(clips);
        let mut list = plan.at(index);
        let captions = list.layers.extract_if(.., |layer| is_caption(layer.id));
        let captions = captions.collect();
        let (compositor, pictures) = (&mut self.compositor, &self.pictures);
        let drawn = self.pool.install(|| {
            let black = Frame::black(plan.size);
            match compositor.submit(&list, pictures, black)? {
                Some(frame) => Ok(Some(frame)),
                None => compositor.drain(),
            }
        })?;
        let lost = || Error::new(ErrorKind::Internal, "the compositor lost a frame");
        Ok((drawn.ok_or_else(lost)?, captions))
    }
}

fn mean_luma(frame: &Frame) -> f64 {
    let luma = frame.planes()[0];
    luma.iter().map(|y| u64::from(*y)).sum::<u64>() as f64 / luma.len() as f64
}

fn told_weak(plan: &Plan, weak: &[Weak], n_pages: usize) -> Option<Warning> {
    let worst = weak.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
    let Color { r, g, b, .. } = worst.fill;
    let message = format!(
        "the letters of “{}” (#{:02X}{:02X}{:02X}) have too little contrast with the picture behind them, {:.1}:1 instead of 3:1 ({} of the {n_pages} pages checked): \
         choose a style with a stroke or a panel, another color or another position",
        worst.page.text(),
        byte(r),
        byte(g),
        byte(b),
        worst.ratio,
        weak.len(),
    );
    let mut warning = Warning::new("low_contrast", plan.path_of_page(worst.page), message);
    warning.at = Some(worst.at);
    Some(warning)
}

/// Merges neighboring black samples into one span each.
fn dark_spans(plan: &Plan, lumas: &[(u64, f64)]) -> Vec<Warning> {
    let spans = lumas.chunk_by(|a, b| (a.1 < DARK) == (b.1 < DARK));
    spans
        .filter(|span| span[0].1 < DARK)
        .take(MOST_SPANS)
        .map(|span| {
            let [from, to] = [span[0].0, span[span.len() - 1].0].map(|at| plan.rate.time_of(at));
            let when = if from == to {
                format!("around {:.1} s", from.as_secs())
            } else {
                format!("from about {:.1} to {:.1} s", from.as_secs(), to.as_secs())
            };
            let message = format!(
                "the picture is black {when}: check the file, its brightness and its transparency"
            );
            let shot = format!("shots[{}].", plan.shot_at(span[0].0));
            let (pictures, clips) = plan.sources();
            let looks = pictures.iter().chain(clips.iter().map(|clip| &clip.look));
            let path = looks
                .map(|look| look.path.as_str())
                .find(|path| path.starts_with(&shot))
                .unwrap_or("shots");
            let mut warning = Warning::new("black_picture", path, message);
            warning.at = Some(from);
            warning
        })
        .collect()
}
