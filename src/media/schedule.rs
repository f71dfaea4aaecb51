//! Determines which pictures are decoded together: groups the plan's uses so that no file is decoded twice at the same time.

use std::collections::HashMap;

use crate::scene::PictureUse;
use crate::scene::draw::PictureId;

/// A file to decode, and everything made from it.
#[derive(Debug)]
pub(crate) struct Job {
    /// At least one variant.
    pub variants: Vec<Variant>,
    /// First frame that shows any of them.
    pub first_frame: u64,
    /// End of the frames that show any of them (exclusive).
    pub end_frame: u64,
}

/// One picture made from the file.
#[derive(Debug)]
pub(crate) struct Variant {
    /// Its parameters (the first of equal uses).
    pub wanted: PictureUse,
    /// Every use with these parameters.
    pub ids: Vec<PictureId>,
}

impl Job {
    /// Returns whether `frame` may show it.
    pub fn shows(&self, frame: u64) -> bool {
        (self.first_frame..self.end_frame).contains(&frame)
    }
}

/// Groups uses into jobs, by ascending first frame. Equal pictures with adjoining times become one, and so do different pictures of one file that start
/// together (a photo and the blurred backdrop behind it). Uses that no frame shows are left out.
pub(crate) fn jobs_of(uses: &[PictureUse]) -> Vec<Job> {
    let mut order: Vec<usize> = (0..uses.len())
        .filter(|&i| uses[i].first_frame < uses[i].end_frame)
        .collect();
    order.sort_by_key(|&i| uses[i].first_frame);
    let mut jobs: Vec<Job> = Vec::new();
    let mut jobs_of_asset: HashMap<&str, Vec<usize>> = HashMap::new();
    for i in order {
        let wanted = &uses[i];
        let id = PictureId(i as u32);
        let of_asset = jobs_of_asset.entry(&wanted.asset).or_default();
        // Uses come in ascending order: a job that ended before this one begins is over for all later ones too.
        of_asset.retain(|&j| jobs[j].end_frame >= wanted.first_frame);
        if !joined(&mut jobs, of_asset, wanted, id) {
            of_asset.push(jobs.len());
            jobs.push(Job {
                variants: vec![variant(wanted, id)],
                first_frame: wanted.first_frame,
                end_frame: wanted.end_frame,
            });
        }
    }
    jobs
}

/// Adds a use to one of the jobs `among`, if it fits; returns whether it did.
fn joined(jobs: &mut [Job], among: &[usize], wanted: &PictureUse, id: PictureId) -> bool {
    for &j in among {
        let job = &mut jobs[j];
        if let Some(equal) = job
            .variants
            .iter_mut()
            .find(|v| is_equal(&v.wanted, wanted))
        {
            equal.ids.push(id);
            job.end_frame = job.end_frame.max(wanted.end_frame);
            return true;
        }
    }
    let together = among
        .iter()
        .find(|&&j| jobs[j].first_frame == wanted.first_frame);
    if let Some(&j) = together {
        jobs[j].variants.push(variant(wanted, id));
        jobs[j].end_frame = jobs[j].end_frame.max(wanted.end_frame);
    }
    together.is_some()
}

fn variant(wanted: &PictureUse, id: PictureId) -> Variant {
    Variant {
        wanted: wanted.clone(),
        ids: vec![id],
    }
}

/// Returns whether two uses of one asset give the same pixels.
fn is_equal(a: &PictureUse, b: &PictureUse) -> bool {
    a.crop == b.crop
        && (a.width, a.height) == (b.width, b.height)
        && a.blur_px == b.blur_px
        && a.brightness == b.brightness
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(asset: &str, width: u32, first_frame: u64, end_frame: u64) -> PictureUse {
        PictureUse {
            asset: asset.to_owned(),
            path: String::new(),
            crop: [0.0, 0.0, 1.0, 1.0],
            width,
            height: 1,
            blur_px: 0.0,
            brightness: 1.0,
            first_frame,
            end_frame,
        }
    }

    #[test]
    fn uses_are_grouped() {
        let uses = [
            wanted("a", 8, 0, 10),
            wanted("b", 8, 20, 30),
            wanted("a", 9, 0, 10),
            wanted("a", 8, 10, 20),
            wanted("a", 8, 40, 50),
            wanted("b", 8, 60, 60),
        ];
        let jobs = jobs_of(&uses);
        let shape: Vec<_> = jobs
            .iter()
            .map(|j| {
                let ids: Vec<Vec<u32>> = j
                    .variants
                    .iter()
                    .map(|v| v.ids.iter().map(|id| id.0).collect())
                    .collect();
                (j.first_frame, j.end_frame, ids)
            })
            .collect();
        assert_eq!(
            shape,
            [
                (0, 20, vec![vec![0, 3], vec![2]]),
                (20, 30, vec![vec![1]]),
                (40, 50, vec![vec![4]]),
            ]
        );
    }
}
