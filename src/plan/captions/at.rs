//! The captions visible at an instant: words at rest share one cached sheet, moving words have their own sheets.

use super::look::{Shadow, WordLook};
use super::moves::{Coming, about, across, coming, ease_out};
use super::panel::burst;
use super::sheet::{Parts, Shown, State};
use super::stage::{BURST, GLASS, MAIN, Move, PANEL, SOFT, Stage, WORDS};
use super::{CaptionTrack, Page};
use crate::scene::draw::{BoxShape, Content, Homography, Layer, LayerId, Paint};
use crate::timeline::{EntryEach, EntryKind};
use crate::units::{Color, Time, within};

/// How long a word shows its flash color.
const FLASH: Time = Time::from_millis(50);

/// How long a word shakes, and how many times it changes direction meanwhile.
const SHAKE: Time = Time::from_millis(120);
const N_SHAKES: f64 = 6.0;

/// Maximum growth in width of a spoken word, and maximum difference in height between its two ends when it sways, in em.
const GROWTH_EM: f64 = 0.6;
const SWAY_EM: f64 = 0.7;

/// A word at an instant.
pub(super) struct WordAt {
    pub(super) shown: Shown,
    /// How the word is drawn separately; `None` if it rests with the others.
    moves: Option<Move>,
    /// Its entry movement alone, without its movement while spoken.
    comes: Move,
    /// What is drawn over it while its color changes.
    over: Option<Over>,
}

enum Over {
    Faded(f32),
    Swept(f32),
    Flash(Color),
}

impl CaptionTrack {
    /// Returns what is visible at `t`, back to front; empty between pages. The main layer has the id `main`, others use ids below it.
    pub(crate) fn layers_at(&self, t: Time, main: LayerId) -> Vec<Layer> {
        let later = self.pages.partition_point(|page| page.start <= t);
        let Some(i) = later.checked_sub(1) else {
            return Vec::new();
        };
        let page = &self.pages[i];
        if t >= page.end {
            return Vec::new();
        }
        let mut stage = Stage {
            page: self.page_move(i, t),
            layers: Vec::new(),
        };
        if self.look.next > 0.0 {
            self.neighbors(i, t, &mut stage);
        }
        self.page(page, t, &mut stage);
        let layers = stage.layers.into_iter().map(|(place, layer)| Layer {
            id: LayerId(main.0.wrapping_sub(place)),
            ..layer
        });
        layers.collect()
    }

    /// Returns the movement of page `i` as a whole.
    fn page_move(&self, i: usize, t: Time) -> Move {
        let (look, page) = (&self.look, &self.pages[i]);
        let gone = match t < page.leaves {
            true => 0.0,
            false => t.progress_in(page.leaves, page.end),
        };
        let p = t.progress_in(page.start, page.start + look.entry.time);
        let frame = page.sheet.frame;
        let come = match look.entry.each {
            EntryEach::Page if self.announced(i) => {
                let shown = ease_out(p);
                Coming {
                    map: Homography::shift(0.0, page.sheet.pitch() * (1.0 - shown)),
                    opacity: look.next + (1.0 - look.next) * shown as f32,
                    ..Coming::THERE
                }
            }
            EntryEach::Page => {
                let mut come = coming(&look.entry, p, (frame, page.sheet.rtl), page.sheet.size_px);
                if look.entry.scale != [1.0; 2] && p < 1.0 && come.map != Homography::IDENTITY {
                    // Pages grow from their center.
                    let half = f64::from(frame.height) / 2.0;
                    let (sy, ty) = (come.map.0[4], come.map.0[5]);
                    let foot = f64::from(frame.y + frame.height);
                    let shift = ty - foot * (1.0 - sy);
                    come.map.0[5] = (foot - half) * (1.0 - sy) + shift;
                }
                come
            }
            EntryEach::Words | EntryEach::Spoken => Coming::THERE,
        };
        let mut map = come.map;
        if page.tilt != 0.0 {
            let middle = [
                f64::from(frame.x + frame.width / 2.0),
                f64::from(frame.y + frame.height / 2.0),
            ];
            map = map.after(about(middle, Homography::turn(page.tilt), [0.0; 2]));
        }
        Move {
            map,
            opacity: come.opacity * (1.0 - gone) as f32,
            blur: come.blur,
            wipe: come.wipe,
            held: p >= 1.0,
        }
    }

    fn page(&self, page: &Page, t: Time, stage: &mut Stage) {
        let look = &self.look;
        let words: Vec<WordAt> = (0..page.words.len())
            .map(|i| self.word(page, i, t))
            .collect();
        for (shape, i) in page.sheet.glass.iter().zip(0..) {
            let sigma = look.panel.map_or(0.0, |panel| panel.glass_sigma);
            let shape = BoxShape {
                rect: shape.rect,
                ..*shape
            };
            stage.push(GLASS + i, 1.0, Content::BackdropBlur(shape, sigma));
        }
        let panel = (1.0, Some(page.sheet.panel_key()));
        stage.boxes(PANEL, &page.sheet.boxes, panel);
        if self.look.lifts() && self.look.shadows.iter().any(Shadow::is_soft) {
            self.soft_shadows(page, &words, stage);
        }
        self.marker(page, t, stage);
        self.split(page, t, stage);
        if let Some(style) = &look.burst {
            let p = t.progress_in(page.start, page.start + style.time);
            if p < 1.0 {
                let bits = burst(style, page.sheet.frame, page.index, p as f32);
                for (bit, i) in bits.into_iter().zip(0..) {
                    stage.push(BURST + i, 1.0, Content::Box(bit));
                }
            }
        }
        self.letters(page, &words, stage);
        self.caret(page, &words, t, stage);
    }

    /// Draws words at rest together, and each moving word separately.
    fn letters(&self, page: &Page, words: &[WordAt], stage: &mut Stage) {
        let look = &self.look;
        let parts = match look.lifts() {
            true => Parts::Hard,
            false => Parts::All,
        };
        let resting: Vec<Shown> = words
            .iter()
            .filter(|word| word.moves.is_none() && word.shown.letters > 0)
            .map(|word| word.shown)
            .collect();
        if !resting.is_empty() {
            let group = page.sheet.group(look, &resting, parts);
            if let Some(group) = group {
                stage.group(MAIN, group, &Move::NONE);
            }
        }
        for (word, i) in words.iter().zip(0..) {
            if let Some(own) = &word.moves {
                let group = page.sheet.group(look, &[word.shown], parts);
                if let Some(group) = group.filter(|_| own.opacity > 0.0) {
                    stage.group(WORDS + 2 * i, group, own);
                }
            }
            self.over(page, word, WORDS + 2 * i + 1, stage);
        }
    }

    /// Draws the soft shadows below everything that moves: one group for a page that enters as a whole, else one per word.
    /// A rising word thus darkens neither its neighbors nor a marker, and the blurs of resting words stay cached.
    fn soft_shadows(&self, page: &Page, words: &[WordAt], stage: &mut Stage) {
        let shown = words.iter().enumerate().map(|(i, word)| {
            let one_face = page.sheet.words[i].others.iter().all(Option::is_none);
            // The state changes nothing here; leaving it out keeps the group the same while a word is spoken.
            let state = if one_face {
                State::Plain
            } else {
                word.shown.state
            };
            Shown {
                state,
                ..word.shown
            }
        });
        let shown: Vec<Shown> = shown.collect();
        if self.look.entry.each == EntryEach::Page {
            if let Some(group) = page.sheet.group(&self.look, &shown, Parts::Soft) {
                stage.group(SOFT, group, &Move::NONE);
            }
            return;
        }
        for ((shown, word), i) in shown.iter().zip(words).zip(0..) {
            if shown.letters == 0 || word.comes.opacity <= 0.0 {
                continue;
            }
            let group = page.sheet.group(&self.look, &[*shown], Parts::Soft);
            if let Some(group) = group {
                stage.group(SOFT + i, group, &word.comes);
            }
        }
    }

    /// Returns the state and movement of word `i`.
    fn word(&self, page: &Page, i: usize, t: Time) -> WordAt {
        let look = &self.look;
        let word = &page.words[i];
        let shape = &page.sheet.words[i];
        let mut state = match () {
            () if t < word.start => State::Idle,
            () if t < word.end && look.active.is_some() => State::Active,
            () if t >= word.end && look.spoken.is_some() => State::Spoken,
            () => State::Idle,
        };
        let mut own = Move::NONE;
        let mut letters = usize::MAX;
        let from = match look.entry.each {
            EntryEach::Page => page.start,
            EntryEach::Words => page.start + Time(look.entry.stagger.0 * i as i64),
            EntryEach::Spoken => word.start,
        };
        let time = match look.entry.each {
            EntryEach::Spoken => Time(look.entry.time.0.min(word.end.0 - word.start.0)),
            _ => look.entry.time,
        };
        let p = t.progress_in(from, from + time);
        if look.entry.kind == EntryKind::Type && p < 1.0 {
            letters = match t < from {
                true => 0,
                false => shape.typed(p),
            };
        } else if look.entry.each != EntryEach::Page && t < from {
            own.opacity = look.entry.before;
        } else if look.entry.each != EntryEach::Page && p < 1.0 {
            let come = coming(&look.entry, p, (shape.rect, shape.rtl), page.sheet.size_px);
            own = Move {
                map: come.map,
                opacity: look.entry.before + (1.0 - look.entry.before) * come.opacity,
                blur: come.blur,
                wipe: come.wipe,
                held: false,
            };
        }
        let comes = own.clone();
        let mut over = None;
        if let Some(active) = &look.active {
            let (map, held) = act(active, page, i, t);
            own.map = own.map.after(map);
            own.held &= held;
            over = change(active, (word.start, word.end), t);
            if matches!(over, Some(Over::Faded(_) | Over::Swept(_))) {
                state = State::Idle;
            }
        }
        let still = own.map == Homography::IDENTITY && own.opacity == 1.0 && own.wipe.is_none();
        WordAt {
            shown: Shown {
                word: i,
                state,
                letters,
            },
            moves: (!still || own.blur > 0.0).then_some(own),
            comes,
            over,
        }
    }

    /// Draws the color that spreads over a word.
    fn over(&self, page: &Page, word: &WordAt, place: u32, stage: &mut Stage) {
        let Some(over) = &word.over else {
            return;
        };
        let shown = Shown {
            state: State::Active,
            ..word.shown
        };
        let Some(mut group) = page.sheet.group(&self.look, &[shown], Parts::Fill) else {
            return;
        };
        let mut own = word.moves.clone().unwrap_or(Move::NONE);
        match over {
            Over::Faded(shown) => own.opacity *= shown,
            Over::Swept(p) => {
                let shape = &page.sheet.words[word.shown.word];
                let rect = shape.rect;
                own.wipe = Some(across((rect, shape.rtl), *p, 0.06 * page.sheet.size_px));
            }
            Over::Flash(color) => {
                group.content = group.content.map(|key| key ^ u64::MAX);
                for layer in &mut group.layers {
                    if let Content::Glyphs(run) = &mut layer.content {
                        run.paint = Paint::Solid(*color);
                    }
                }
            }
        }
        stage.group(place, group, &own);
    }
}

/// Returns how a word moves while spoken and as it comes to rest, and whether that movement holds for several frames.
fn act(active: &WordLook, page: &Page, i: usize, t: Time) -> (Homography, bool) {
    let (word, rect) = (&page.words[i], page.sheet.words[i].rect);
    let settled = word.end + active.change;
    // A broken word does not move: its lines would run into their neighbors.
    let is_broken = page.sheet.words[i].parts.len() > 1;
    if is_broken || t < word.start || t >= settled.max(word.end) {
        return (Homography::IDENTITY, true);
    }
    let up = match active.change {
        Time::ZERO => 1.0,
        change => ease_out(t.progress_in(word.start, word.start + change)),
    };
    let down = match t < word.end {
        true => 0.0,
        false => ease_out(t.progress_in(word.end, settled)),
    };
    let amount = up * (1.0 - down);
    // Long words grow and sway as far as short ones, not in proportion to their length.
    let ems = f64::from(rect.width / page.sheet.size_px).max(1.0);
    let most = GROWTH_EM / ems;
    let scale = 1.0 + within(active.scale - 1.0, -most, most) * amount;
    let swing = t.progress_in(word.start, word.end) * std::f64::consts::TAU;
    let angle = active.sway.min(SWAY_EM / ems) * swing.sin() * (1.0 - down);
    let shaken = t.progress_in(word.start, word.start + SHAKE);
    let turns = (shaken * N_SHAKES) as i64;
    let side = if turns % 2 == 0 { 1.0 } else { -1.0 };
    let shake = active.shake * side * (1.0 - shaken);
    if scale == 1.0 && angle == 0.0 && shake == 0.0 {
        return (Homography::IDENTITY, true);
    }
    let held = angle == 0.0 && shake == 0.0 && amount == 1.0;
    let middle = [
        f64::from(rect.x + rect.width / 2.0),
        f64::from(rect.y + rect.height / 2.0),
    ];
    let mut map = Homography::scale_shift(scale, scale, 0.0, 0.0);
    if angle != 0.0 {
        map = Homography::turn(angle).after(map);
    }
    (about(middle, map, [shake, 0.0]), held)
}

/// Returns how a word's color changes at `t`.
fn change(active: &WordLook, (start, end): (Time, Time), t: Time) -> Option<Over> {
    if t < start || t >= end {
        return None;
    }
    if let Some(color) = active.flash.filter(|_| t - start < FLASH) {
        return Some(Over::Flash(color));
    }
    if active.sweep {
        return Some(Over::Swept(t.progress_in(start, end) as f32));
    }
    let p = t.progress_in(start, start + active.change);
    let fades = active.fill.is_some() || active.opacity < 1.0;
    (fades && active.change > Time::ZERO && p < 1.0).then_some(Over::Faded(p as f32))
}
