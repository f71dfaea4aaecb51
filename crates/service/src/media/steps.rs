//! Steps of the studio in the bucket, as `steps/NAME.tar`: a run that continues on another machine does not pay its providers twice. They have no URL.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kinora_studio::stages::Remote;
use tokio::runtime::Handle;

use super::bucket::Bucket;
use super::{Back, Media, MediaError};

/// The maximum size of a step: a clip of a minute has a tenth of it.
const MAX_BYTES: u64 = 256 << 20;
/// The maximum wait for the bucket, and how long it is not used after a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// The bucket as the studio sees it. A failing bucket delays a step but does not fail it: the step is then made and kept on this machine.
#[derive(Debug)]
pub struct SharedSteps {
    media: Media,
    runtime: Handle,
    /// When the bucket last failed.
    failed_at: Mutex<Option<Instant>>,
}

impl SharedSteps {
    /// Returns one for a bucket; a media folder belongs to one machine, so its steps need no sharing. Must be called inside a runtime, which does the waiting.
    pub fn of(media: &Media) -> Option<Arc<dyn Remote>> {
        matches!(media.0.back, Back::Bucket(_)).then(|| -> Arc<dyn Remote> {
            Arc::new(SharedSteps {
                media: media.clone(),
                runtime: Handle::current(),
                failed_at: Mutex::default(),
            })
        })
    }

    /// Returns the bucket and the object name of a step, unless the bucket has just failed.
    fn place(&self, step: &str) -> Option<(&Bucket, String)> {
        let Back::Bucket(bucket) = &self.media.0.back else {
            return None;
        };
        let failed_at = *self
            .failed_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_left_alone = failed_at.is_some_and(|at| at.elapsed() < PATIENCE);
        (!is_left_alone).then(|| (bucket, self.media.name_of("steps", "tar", step)))
    }

    /// Waits for the bucket, at most `PATIENCE`.
    fn wait<T>(&self, asked: impl Future<Output = Result<T, MediaError>>) -> Option<T> {
        let answer = async {
            let late = |_| Err(MediaError::Store("no answer in time".to_owned()));
            tokio::time::timeout(PATIENCE, asked)
                .await
                .unwrap_or_else(late)
        };
        match self.runtime.block_on(answer) {
            Ok(found) => Some(found),
            Err(MediaError::NotFound) => None,
            Err(error) => {
                tracing::warn!(%error, "sharing of steps is paused for a while");
                let mut failed_at = self
                    .failed_at
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                *failed_at = Some(Instant::now());
                None
            }
        }
    }
}

impl Remote for SharedSteps {
    fn fetch(&self, name: &str) -> Option<Vec<u8>> {
        let (bucket, object) = self.place(name)?;
        let found = self.wait(bucket.bytes(&object, MAX_BYTES))?;
        Some(found.into())
    }

    fn keep(&self, name: &str, packed: Vec<u8>) {
        if packed.len() as u64 > MAX_BYTES {
            return;
        }
        if let Some((bucket, object)) = self.place(name) {
            self.wait(bucket.share(&object, packed.into()));
        }
    }
}
