//! What is seen of captions at an instant: words that rest as one sheet that is kept, words that move as sheets of their own.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::draw::{
    BoxShape, Content, Group, Homography, Known, Layer, LayerId, Paint, Pose, Wipe,
};
use super::look::WordLook;
use super::moves::{Coming, about, coming, ease_out, from_left};
use super::panel::{burst, caret, marker};
use super::sheet::{Area, Parts, Shown, State, layers};
use super::{CaptionTrack, Page};
use crate::timeline::{Blend, EntryEach, EntryKind, MarkerKind};
use crate::units::{Color, Time};

/// How long a word has its flash color.
const FLASH: Time = Time::from_millis(50);

/// How long a word is shaken, and how often it turns around meanwhile.
const SHAKE: Time = Time::from_millis(120);
const N_SHAKES: f64 = 6.0;

/// A page is announced below another that ends at most this long before.
const ANNOUNCED: Time = Time::from_millis(500);

/// Red and blue that stand apart.
const SPLIT: [(&str, f64); 2] = [("#FF2040B0", -1.0), ("#20D0FFB0", 1.0)];

/// A word at an instant.
struct WordAt {
    shown: Shown,
    /// Drawn on its own.
    moves: Option<Move>,
    /// What lies over it while it changes its color.
    over: Option<Over>,
}

#[derive(Clone)]
struct Move {
    map: Homography,
    opacity: f32,
    blur: f32,
    wipe: Option<Wipe>,
}

impl Move {
    const NONE: Move = Move {
        map: Homography::IDENTITY,
        opacity: 1.0,
        blur: 0.0,
        wipe: None,
    };
}

enum Over {
    Faded(f32),
    Swept(f32),
    Flash(Color),
}

/// Gathers a page's layers: where the page is, and how clear.
struct Stage {
    page: Move,
    /// Layers, the lowest first, with the place of each among those that a page may have.
    layers: Vec<(u32, Layer)>,
}

/// Places of a page's layers below its main layer; each word has two.
const MAIN: u32 = 0;
const PANEL: u32 = 1;
const MARKER: u32 = 2;
const CARET: u32 = 3;
const BURST: u32 = 4;
const SPLITS: u32 = 5;
const MARKER_BEFORE: u32 = 7;
const GLASS: u32 = 8;
const NEXT: u32 = 14;
const OLD: u32 = 15;
const WORDS: u32 = 16;

impl Stage {
    fn push(&mut self, place: u32, opacity: f32, content: Content) {
        let opacity = opacity * self.page.opacity;
        if opacity <= 0.0 {
            return;
        }
        let layer = Layer {
            id: LayerId(place),
            known: Known::New,
            opacity,
            blend: Blend::Normal,
            content,
        };
        self.layers.push((place, layer));
    }

    /// A group that goes with the page, after its own move.
    fn group(&mut self, place: u32, mut group: Group, own: &Move) {
        let map = match (self.page.map, own.map) {
            (page, Homography::IDENTITY) => page,
            (page, own) => page.after(own),
        };
        group.pose.maps = vec![map];
        group.pose.blur_px = self.page.blur + own.blur;
        group.pose.wipe = own.wipe.or(self.page.wipe);
        self.push(place, own.opacity, Content::Group(group));
    }

    /// Boxes with a key of their own, or one made from them.
    fn boxes(&mut self, place: u32, boxes: &[BoxShape], (opacity, key): (f32, Option<u64>)) {
        let areas = boxes.iter().map(|shape| {
            let r = shape.rect;
            let turned = if shape.rotate == 0.0 {
                0.0
            } else {
                r.width.max(r.height) / 2.0
            };
            Area::around(r, 2.0 + turned)
        });
        let area = areas.reduce(|mut all, area| {
            all.join(area);
            all
        });
        let Some(bounds) = area.and_then(|area| area.pixels()) else {
            return;
        };
        let key = key.unwrap_or_else(|| {
            let mut hasher = DefaultHasher::new();
            format!("{boxes:?}").hash(&mut hasher);
            hasher.finish()
        });
        let group = Group {
            content: Some(key),
            bounds,
            pose: Pose::at(Homography::IDENTITY),
            layers: layers(boxes.iter().copied().map(Content::Box)),
        };
        let own = Move {
            opacity,
            ..Move::NONE
        };
        self.group(place, group, &own);
    }
}

impl CaptionTrack {
    /// What is seen at `t`, back to front; nothing between pages. The main layer has the id `main`, others have those below it.
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

    /// Whether page `i` was shown below the page before it.
    fn announced(&self, i: usize) -> bool {
        let before = i.checked_sub(1).and_then(|b| self.pages.get(b));
        self.look.next > 0.0
            && self.pages.get(i).is_some_and(|page| {
                before.is_some_and(|b| b.replaced || page.start - b.end <= ANNOUNCED)
            })
    }

    /// Where page `i` is as a whole.
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
                let mut come = coming(&look.entry, p, frame, page.sheet.size_px);
                if look.entry.scale != [1.0; 2] && p < 1.0 && come.map != Homography::IDENTITY {
                    // Pages grow from their middle.
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
        }
    }

    /// The page before on its way up and out, and the page after below.
    fn neighbors(&self, i: usize, t: Time, stage: &mut Stage) {
        let page = &self.pages[i];
        let look = &self.look;
        let p = t.progress_in(page.start, page.start + look.entry.time);
        let (shown, pitch) = (ease_out(p), page.sheet.pitch());
        let mut put = |place: u32, of: &Page, state: State, own: Move| {
            let words = all(of, state);
            if let Some(group) = of.sheet.group(look, &words, Parts::All) {
                let mut alone = Stage {
                    page: Move::NONE,
                    layers: Vec::new(),
                };
                alone.group(place, group, &own);
                stage.layers.append(&mut alone.layers);
            }
        };
        if self.announced(i) && p < 1.0 {
            let own = Move {
                map: Homography::shift(0.0, -pitch * shown),
                opacity: (1.0 - shown) as f32,
                ..Move::NONE
            };
            put(OLD, &self.pages[i - 1], State::Spoken, own);
        }
        if self.announced(i + 1) {
            let shown = if self.announced(i) { shown } else { 1.0 };
            let gone = match t < page.leaves {
                true => 0.0,
                false => t.progress_in(page.leaves, page.end) as f32,
            };
            let own = Move {
                map: Homography::shift(0.0, pitch * (2.0 - shown)),
                opacity: look.next * shown as f32 * (1.0 - gone),
                ..Move::NONE
            };
            put(NEXT, &self.pages[i + 1], State::Idle, own);
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
        self.marker(page, t, stage);
        self.split(page, t, stage);
        let resting: Vec<Shown> = words
            .iter()
            .filter(|word| word.moves.is_none() && word.shown.letters > 0)
            .map(|word| word.shown)
            .collect();
        if !resting.is_empty() {
            let group = page.sheet.group(look, &resting, Parts::All);
            if let Some(group) = group {
                stage.group(MAIN, group, &Move::NONE);
            }
        }
        for (word, i) in words.iter().zip(0..) {
            if let Some(own) = &word.moves {
                let group = page.sheet.group(look, &[word.shown], Parts::All);
                if let Some(group) = group.filter(|_| own.opacity > 0.0) {
                    stage.group(WORDS + 2 * i, group, own);
                }
            }
            self.over(page, word, WORDS + 2 * i + 1, stage);
        }
        self.caret(page, &words, t, stage);
        if let Some(style) = &look.burst {
            let p = t.progress_in(page.start, page.start + style.time);
            if p < 1.0 {
                let bits = burst(style, page.sheet.frame, page.index, p as f32);
                stage.boxes(BURST, &bits, (1.0, None));
            }
        }
    }

    /// What word `i` is and does.
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
                false => (p * shape.glyphs.len() as f64) as usize + 1,
            };
        } else if look.entry.each != EntryEach::Page && t < from {
            own.opacity = look.entry.before;
        } else if look.entry.each != EntryEach::Page && p < 1.0 {
            let come = coming(&look.entry, p, shape.rect, page.sheet.size_px);
            own = Move {
                map: come.map,
                opacity: look.entry.before + (1.0 - look.entry.before) * come.opacity,
                blur: come.blur,
                wipe: come.wipe,
            };
        }
        let mut over = None;
        if let Some(active) = &look.active {
            own.map = own.map.after(act(active, page, i, t));
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
            over,
        }
    }

    /// The color that comes over a word.
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
                let rect = page.sheet.words[word.shown.word].rect;
                own.wipe = Some(from_left(rect, *p, 0.06 * page.sheet.size_px));
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

    fn marker(&self, page: &Page, t: Time, stage: &mut Stage) {
        let Some(style) = &self.look.marker else {
            return;
        };
        let started = page.words.iter().take_while(|word| word.start <= t);
        let Some(word) = started.count().checked_sub(1) else {
            return;
        };
        let spoken = &page.words[word];
        let p = t.progress_in(spoken.start, spoken.start + style.glide);
        let drawn = if style.glide == Time::ZERO {
            1.0
        } else {
            ease_out(p)
        };
        let boxes = marker(style, &page.sheet, (page.index, word), drawn as f32);
        // Lines of the word before go as the new one comes.
        if style.kind != MarkerKind::Box && word > 0 && p < 1.0 {
            let before = marker(style, &page.sheet, (page.index, word - 1), 1.0);
            stage.boxes(MARKER_BEFORE, &before, ((1.0 - drawn) as f32, None));
        }
        stage.boxes(MARKER, &boxes, (1.0, None));
    }

    /// Red and blue ghosts while a page comes.
    fn split(&self, page: &Page, t: Time, stage: &mut Stage) {
        let entry = &self.look.entry;
        let rest = 1.0 - t.progress_in(page.start, page.start + entry.time);
        if entry.split == 0.0 || rest <= 0.0 {
            return;
        }
        let words = all(page, State::Plain);
        for ((color, side), i) in SPLIT.into_iter().zip(0..) {
            let (Some(color), Some(mut group)) = (
                Color::parse(color),
                page.sheet.group(&self.look, &words, Parts::Fill),
            ) else {
                continue;
            };
            group.content = group.content.map(|key| key.rotate_left(8 * (i + 1)));
            for layer in &mut group.layers {
                if let Content::Glyphs(run) = &mut layer.content {
                    run.paint = Paint::Solid(color);
                }
            }
            let shift = 2.0 * entry.split * side * rest.max(0.5);
            let own = Move {
                map: Homography::shift(shift, 0.0),
                ..Move::NONE
            };
            stage.group(SPLITS + i, group, &own);
        }
    }

    fn caret(&self, page: &Page, words: &[WordAt], t: Time, stage: &mut Stage) {
        let Some((color, blink)) = self.look.caret else {
            return;
        };
        let Some(last) = words.iter().rposition(|word| word.shown.letters > 0) else {
            return;
        };
        let typing = words[last].shown.letters < usize::MAX;
        let since = (t - page.words[last].end).0.max(0);
        if !typing && since / blink.0.max(1) % 2 == 1 {
            return;
        }
        let glyphs = &page.sheet.words[last].glyphs;
        let n = words[last].shown.letters.min(glyphs.len());
        let Some(end) = (glyphs.start + n).checked_sub(1) else {
            return;
        };
        let block = caret(&page.sheet, last, page.sheet.ends[end], color);
        stage.boxes(CARET, &[block], (1.0, None));
    }
}

/// All words of a page in one state.
fn all(page: &Page, state: State) -> Vec<Shown> {
    let words = 0..page.words.len();
    words
        .map(|word| Shown {
            word,
            state,
            letters: usize::MAX,
        })
        .collect()
}

/// How a word moves while it is spoken, and as it comes to rest.
fn act(active: &WordLook, page: &Page, i: usize, t: Time) -> Homography {
    let (word, rect) = (&page.words[i], page.sheet.words[i].rect);
    let settled = word.end + active.change;
    if t < word.start || t >= settled.max(word.end) {
        return Homography::IDENTITY;
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
    let scale = 1.0 + (active.scale - 1.0) * amount;
    let swing = t.progress_in(word.start, word.end) * std::f64::consts::TAU;
    let angle = active.sway * swing.sin() * (1.0 - down);
    let shaken = t.progress_in(word.start, word.start + SHAKE);
    let turns = (shaken * N_SHAKES) as i64;
    let side = if turns % 2 == 0 { 1.0 } else { -1.0 };
    let shake = active.shake * side * (1.0 - shaken);
    if scale == 1.0 && angle == 0.0 && shake == 0.0 {
        return Homography::IDENTITY;
    }
    let middle = [
        f64::from(rect.x + rect.width / 2.0),
        f64::from(rect.y + rect.height / 2.0),
    ];
    let mut map = Homography::scale_shift(scale, scale, 0.0, 0.0);
    if angle != 0.0 {
        map = Homography::turn(angle).after(map);
    }
    about(middle, map, [shake, 0.0])
}

/// How a word changes its color at `t`.
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
