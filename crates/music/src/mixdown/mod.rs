//! Mixes players into one stereo loop at a set loudness.
//!
//! Takes an arrangement and gives samples whose end continues into their start. It never decides what is played. Everything here is circular: sounds that last
//! beyond the end are mixed into the beginning, and effects are run in before the part that is kept.

mod circle;
mod master;
mod tone;
mod wav;

use crate::score::arrange::{Arrangement, Note, Player, amplitude_from_db};
use crate::score::chance::fnv1a;
use crate::score::theory::hz_from_pitch;
use crate::synth::{Instrument, Orchestra, SAMPLE_RATE, Strike, sides};

pub(crate) use wav::{is_whole, wav_from_samples};

/// Stereo samples.
pub(crate) type Stereo = Vec<[f32; 2]>;

/// Renders an arrangement. The error message names a missing instrument.
pub(crate) fn render(arrangement: &Arrangement, orchestra: &Orchestra) -> Result<Stereo, String> {
    // Even, since the room is computed at half the rate.
    let n = 2 * (0.5 * arrangement.secs * f64::from(SAMPLE_RATE)).round() as usize;
    let mut dry: Stereo = vec![[0.0; 2]; n];
    let mut send: Stereo = vec![[0.0; 2]; n];
    for player in &arrangement.players {
        let instrument = orchestra.get(&player.instrument)?;
        let bus = bus(player, instrument, n);
        let level = amplitude_from_db(player.gain_db);
        let sent = level * amplitude_from_db(player.send_db);
        for ((dry, send), sample) in dry.iter_mut().zip(&mut send).zip(&bus) {
            for side in 0..2 {
                dry[side] += level * sample[side];
                send[side] += sent * sample[side];
            }
        }
    }
    let wet = circle::reverb(&send, &arrangement.space);
    let wet_level = amplitude_from_db(arrangement.space.level_db);
    for (dry, wet) in dry.iter_mut().zip(&wet) {
        for side in 0..2 {
            dry[side] += wet_level * wet[side];
        }
    }
    Ok(master::master(dry))
}

/// Renders a player's notes with its echo and chorus.
fn bus(player: &Player, instrument: &Instrument, n: usize) -> Stereo {
    let mut bus: Stereo = vec![[0.0; 2]; n];
    let mut sound: Stereo = Vec::new();
    let name = fnv1a(player.name.as_bytes()) ^ fnv1a(player.instrument.as_bytes());
    let [left, right] = sides(player.pan).map(|side| side * std::f32::consts::SQRT_2);
    for (i, note) in player.notes.iter().enumerate() {
        sound.clear();
        instrument.sound(&strike(note, name.wrapping_add(i as u64)), &mut sound);
        let start = (note.start_secs * f64::from(SAMPLE_RATE)).round() as i64;
        let start = start.rem_euclid(n as i64) as usize;
        let amplitude = [note.amplitude * left, note.amplitude * right];
        circle::add(&mut bus, start, &sound, amplitude);
    }
    if player.chorus > 0.0 {
        circle::chorus(&mut bus, player.chorus, name);
    }
    match &player.echo {
        Some(echo) => circle::echo(&bus, echo),
        None => bus,
    }
}

fn strike(note: &Note, seed: u64) -> Strike {
    Strike {
        hz: hz_from_pitch(note.pitch) as f32,
        secs: note.secs as f32,
        velocity: note.velocity,
        seed,
    }
}
