//! The compositing stage: turns draw lists and pictures into frames, in buffers returned by the encoder.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select};

use super::{Composed, Ended};
use crate::caught::caught;
use crate::compose::Compositor;
use crate::error::{Result, Warning};
use crate::frame::Frame;
use crate::media::Loader;
use crate::options::Control;
use crate::plan::Plan;
use crate::scene::draw::DrawList;

/// Everything needed for compositing.
pub(super) struct Painter<'a> {
    pub(super) plan: &'a Plan,
    pub(super) compositor: Compositor,
    pub(super) pool: rayon::ThreadPool,
    pub(super) loader: Loader,
}

impl Painter<'_> {
    /// Composes every frame in order, in buffers returned by the encoder; returns the problems of clips found only during decoding.
    pub(super) fn run(
        mut self,
        (to, spare, stop): (Sender<Composed>, Receiver<Frame>, Receiver<()>),
        control: &Control,
    ) -> Result<Ended<Vec<Warning>>> {
        let (mut busy, mut lists) = (Duration::ZERO, VecDeque::new());
        for index in 0..self.plan.n_frames {
            control.check()?;
            let buffer = spare
                .try_recv()
                .unwrap_or_else(|_| Frame::black(self.plan.size));
            let clock = Instant::now();
            let drawn = caught(|| {
                let list = self.plan.at(index);
                Ok((self.draw(&list, buffer)?, list))
            });
            let (finished, list) = drawn.map_err(|e| e.at(self.plan.place_of(index)))?;
            busy += clock.elapsed();
            lists.push_back(list);
            if !send((&to, &stop), finished, &mut lists) {
                return Ok(Ended { busy, result: None });
            }
        }
        while let Some(frame) = self.compositor.drain()? {
            if !send((&to, &stop), Some(frame), &mut lists) {
                return Ok(Ended { busy, result: None });
            }
        }
        Ok(Ended {
            busy,
            result: Some(self.loader.warnings()),
        })
    }

    /// Returns the compositor's name, as seen on its workers.
    pub(super) fn name(&mut self) -> String {
        let compositor = &mut self.compositor;
        self.pool.install(move || compositor.name())
    }

    fn draw(&mut self, list: &DrawList, buffer: Frame) -> Result<Option<Frame>> {
        let pictures = self.loader.for_frame(list.frame)?;
        let compositor = &mut self.compositor;
        self.pool
            .install(|| compositor.submit(list, pictures, buffer))
    }
}

/// Sends a finished frame with its draw list; returns false once the receiver is gone.
fn send(
    (to, stop): (&Sender<Composed>, &Receiver<()>),
    frame: Option<Frame>,
    lists: &mut VecDeque<DrawList>,
) -> bool {
    let Some(frame) = frame else { return true };
    let list = lists
        .pop_front()
        .expect("a frame comes out for each list that went in");
    select! {
        send(to, Composed { frame, list }) -> sent => sent.is_ok(),
        recv(stop) -> _ => false,
    }
}
