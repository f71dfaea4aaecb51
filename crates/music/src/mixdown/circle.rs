//! Effects on a loop: their tail at its end is heard at its start.

use fundsp::prelude32::{
    AudioUnit, BufferVec, MAX_BUFFER_SIZE, chorus as chorus_unit, lowpass_hz, lowpole_hz,
    reverb2_stereo,
};

use super::Stereo;
use crate::score::arrange::Repeats;
use crate::score::description::Space;
use crate::synth::SAMPLE_RATE;

/// Samples of the crossfade from a unit's second round into its first, so that modulation has no seam.
const SEAM: usize = 12_000;

/// Adds `sound` to the loop at `start`, wrapping around as often as needed.
pub(super) fn add(bus: &mut [[f32; 2]], start: usize, sound: &[[f32; 2]], amplitude: [f32; 2]) {
    let mut rest = sound;
    let mut at = start;
    while !rest.is_empty() {
        let n = rest.len().min(bus.len() - at);
        for (to, from) in bus[at..at + n].iter_mut().zip(rest) {
            to[0] += amplitude[0] * from[0];
            to[1] += amplitude[1] * from[1];
        }
        rest = &rest[n..];
        at = 0;
    }
}

/// Returns the loop with its echoes, which alternate between the sides.
pub(super) fn echo(bus: &[[f32; 2]], repeats: &Repeats) -> Stereo {
    let n = bus.len();
    let distance = (repeats.secs * f64::from(SAMPLE_RATE)).round() as usize;
    let mut out = bus.to_vec();
    let mut level = repeats.amplitude;
    let mut count = 1;
    while level > 0.01 && count <= 8 {
        let shift = (distance * count) % n;
        let [near, far] = if count % 2 == 0 {
            [0.9, 0.35]
        } else {
            [0.35, 0.9]
        };
        let [left, right] = [level * near, level * far];
        let late = out[shift..].iter_mut().zip(&bus[..n - shift]);
        late.for_each(|(to, from)| blend(to, from, left, right));
        let wrapped = out[..shift].iter_mut().zip(&bus[n - shift..]);
        wrapped.for_each(|(to, from)| blend(to, from, left, right));
        level *= repeats.feedback;
        count += 1;
    }
    out
}

fn blend(to: &mut [f32; 2], from: &[f32; 2], left: f32, right: f32) {
    let middle = 0.5 * (from[0] + from[1]);
    to[0] += left * middle;
    to[1] += right * middle;
}

/// Returns the room's answer to the loop, without the loop itself. It is computed at half the sample rate, since the room is dark anyway.
pub(super) fn reverb(send: &[[f32; 2]], space: &Space) -> Stereo {
    let side = || lowpass_hz(9000.0, 0.6);
    let soft = through(&mut (side() | side()), send, SAMPLE_RATE, 4800);
    let half: Stereo = soft
        .as_chunks()
        .0
        .iter()
        .map(|[a, b]: &[[f32; 2]; 2]| middle(a, b))
        .collect();
    let mut unit = reverb2_stereo(
        space.size_m,
        space.seconds,
        0.6,
        0.4,
        lowpole_hz(space.bright_hz),
    );
    let preroll = (space.seconds * 0.6 * SAMPLE_RATE) as usize;
    let answer = through(&mut unit, &half, 0.5 * SAMPLE_RATE, preroll);
    let next = answer.iter().cycle().skip(1);
    let full: Stereo = answer
        .iter()
        .zip(next)
        .flat_map(|(a, b)| [*a, middle(a, b)])
        .collect();
    through(&mut (side() | side()), &full, SAMPLE_RATE, 4800)
}

fn middle(a: &[f32; 2], b: &[f32; 2]) -> [f32; 2] {
    [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]
}

/// Mixes a chorus into the loop.
pub(super) fn chorus(bus: &mut [[f32; 2]], share: f32, seed: u64) {
    for side in 0..2 {
        let mut unit = chorus_unit(seed.wrapping_add(side as u64), 0.012, 0.006, 0.25);
        let mono: Stereo = bus.iter().map(|sample| [sample[side], 0.0]).collect();
        let wet = through(&mut unit, &mono, SAMPLE_RATE, SAMPLE_RATE as usize / 4);
        for (sample, wet) in bus.iter_mut().zip(&wet) {
            sample[side] = (1.0 - 0.5 * share) * sample[side] + share * wet[0];
        }
    }
}

/// Runs the loop through a unit of one or two channels that has already processed the loop's last `preroll` samples.
pub(super) fn through(
    unit: &mut dyn AudioUnit,
    input: &[[f32; 2]],
    rate: f32,
    preroll: usize,
) -> Stereo {
    let n = input.len();
    let seam = SEAM.min(n / 2);
    unit.set_sample_rate(f64::from(rate));
    unit.allocate();
    let channels = unit.inputs();
    let mut given = BufferVec::new(channels);
    let mut taken = BufferVec::new(unit.outputs());
    let total = preroll + n + seam;
    let first = n - preroll % n;
    let mut out: Stereo = Vec::with_capacity(total);
    for start in (0..total).step_by(MAX_BUFFER_SIZE) {
        let size = MAX_BUFFER_SIZE.min(total - start);
        for i in 0..size {
            let sample = input[(first + start + i) % n];
            (0..channels).for_each(|channel| given.set_f32(channel, i, sample[channel]));
        }
        unit.process(size, &given.buffer_ref(), &mut taken.buffer_mut());
        out.extend((0..size).map(|i| {
            let left = taken.at_f32(0, i);
            [
                left,
                if taken.channels() > 1 {
                    taken.at_f32(1, i)
                } else {
                    left
                },
            ]
        }));
    }
    out.drain(..preroll);
    let (round, again) = out.split_at_mut(n);
    for (i, (sample, next)) in round.iter_mut().zip(again).enumerate() {
        let share = i as f32 / seam as f32;
        for (side, next) in sample.iter_mut().zip(next) {
            *side = share * *side + (1.0 - share) * *next;
        }
    }
    out.truncate(n);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sounds_go_on_at_the_start() {
        let mut bus = vec![[0.0; 2]; 4];
        add(&mut bus, 3, &[[1.0; 2]; 6], [1.0, 0.5]);
        let left: Vec<f32> = bus.iter().map(|sample| sample[0]).collect();
        assert_eq!(left, [2.0, 1.0, 1.0, 2.0]);
        assert_eq!(bus[0], [2.0, 1.0]);
    }

    #[test]
    fn echoes_repeat_on_the_other_side_and_around_the_end() {
        let mut bus = vec![[0.0; 2]; 1000];
        bus[990] = [1.0; 2];
        let repeats = Repeats {
            secs: 20.0 / 48_000.0,
            amplitude: 0.5,
            feedback: 0.5,
        };
        let out = echo(&bus, &repeats);
        assert_eq!(out[990], [1.0; 2]);
        assert!(out[10][1] > 2.0 * out[10][0] && out[10][0] > 0.0);
        assert!(out[30][0] > out[30][1] && out[30][0] < out[10][1]);
    }

    #[test]
    fn a_room_answers_at_the_start_to_what_sounds_at_the_end() {
        let mut send = vec![[0.0; 2]; 96_000];
        send[95_000] = [1.0; 2];
        let space = Space {
            size_m: 15.0,
            seconds: 1.5,
            bright_hz: 6000.0,
            level_db: 0.0,
        };
        let wet = reverb(&send, &space);
        let energy =
            |range: std::ops::Range<usize>| wet[range].iter().flatten().map(|v| v * v).sum::<f32>();
        assert!(energy(0..20_000) > 100.0 * energy(75_000..94_000));
    }
}
