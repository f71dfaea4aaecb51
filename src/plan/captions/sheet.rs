//! Laid-out text as layers: shadows, strokes, then fills of any of its words, as one group.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::super::draw::{
    BoxShape, Content, Glyph, GlyphRun, Group, Homography, Known, Layer, LayerId, Paint, Pose,
};
use super::super::seed::Seed;
use super::area::{Area, united};
use super::look::{Look, Painted, Shadow, Tint, WordLook};
use super::panel::panel;
use crate::text::TextBlock;
use crate::timeline::Blend;
use crate::units::{PixelRect, Rect};

/// Room for anti-aliasing and for the tails of blurs.
const ROOM_PX: f32 = 3.0;

/// How far letters reach below the baseline, em.
const DESCENT_EM: f32 = 0.22;

/// What a word is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// As the style's letters are, without any look of its own.
    Plain,
    /// Not spoken now.
    Idle,
    /// Being spoken.
    Active,
    /// Already spoken.
    Spoken,
}

/// A word and how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shown {
    /// Its place on the page.
    pub(super) word: usize,
    pub(super) state: State,
    /// How many of its glyphs are drawn, the first ones; `usize::MAX` for all.
    pub(super) letters: usize,
}

/// What of the letters is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Parts {
    All,
    /// The blurred shadows below the strokes, which lie under all words and stay while a letter moves a little.
    Soft,
    /// All but the soft shadows.
    Hard,
    /// The letters alone.
    Fill,
}

impl Parts {
    /// Whether a shadow is among them.
    fn have(self, shadow: &Shadow) -> bool {
        match self {
            Parts::All => true,
            Parts::Soft => shadow.is_soft(),
            Parts::Hard => !shadow.is_soft(),
            Parts::Fill => false,
        }
    }
}

/// A word on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WordShape {
    /// Its glyphs in the style's face.
    pub(super) glyphs: Range<usize>,
    /// Its glyphs in the faces of its states (idle, active, spoken), where those have one.
    pub(super) others: [Option<Range<usize>>; 3],
    /// As wide as its letters advance, from the top of its capital letters to its baseline.
    pub(super) rect: Rect,
    /// The same for each of its lines; one, unless the word is broken.
    pub(super) parts: Vec<Rect>,
    /// Its place among all words of the track.
    pub(super) index: usize,
    ink: Rect,
}

/// Glyphs on the canvas with all that is drawn around them. Shaped once: its glyph array is shared by every run of every frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sheet {
    /// The page's glyphs, then those of words in other faces.
    pub(super) glyphs: Arc<[Glyph]>,
    pub(super) words: Vec<WordShape>,
    /// What the page's letters and boxes touch.
    pub(super) bounds: PixelRect,
    /// Boxes behind the letters, back to front.
    pub(super) boxes: Vec<BoxShape>,
    /// Boxes behind which the picture is blurred.
    pub(super) glass: Vec<BoxShape>,
    /// The box around all lines.
    pub(super) frame: Rect,
    pub(super) size_px: f32,
    /// Right end of each glyph.
    pub(super) ends: Vec<f32>,
    page: usize,
    n_lines: usize,
    /// Hash of the look and of all glyphs.
    key: u64,
}

/// Which words of a block are which: their glyphs, and the place of the first among all.
pub(super) struct Words<'a> {
    pub(super) glyphs: &'a [Range<usize>],
    pub(super) first: usize,
    pub(super) page: usize,
}

impl Sheet {
    /// No word of a page with so many lines.
    fn empty((page, n_lines): (usize, usize), frame: Rect, size_px: f32) -> Sheet {
        Sheet {
            glyphs: Arc::default(),
            words: Vec::new(),
            bounds: PixelRect::default(),
            boxes: Vec::new(),
            glass: Vec::new(),
            frame,
            size_px,
            ends: Vec::new(),
            page,
            n_lines,
            key: 0,
        }
    }

    /// A block with its center at `center`. `None` when nothing of it can be seen.
    pub(super) fn new(
        block: &TextBlock,
        center: [f32; 2],
        words: &Words<'_>,
        look: &Look,
    ) -> Option<Sheet> {
        if block.glyphs.is_empty() {
            return None;
        }
        let moved = |rect: Rect, own: [f32; 2]| rect.shifted(center).shifted(own);
        let frame = block.frame().shifted(center);
        let mut sheet = Sheet::empty((words.page, block.lines.len()), frame, block.size_px);
        let shifts = shifts(block, words, look);
        let mut glyphs = block.glyphs.clone();
        for (i, glyph) in glyphs.iter_mut().enumerate() {
            let [dx, dy] = shifts[i];
            glyph.x += center[0] + dx;
            glyph.y += center[1] + dy;
            sheet.ends.push(glyph.x + block.advances[i]);
        }
        let word = |(i, range): (usize, &Range<usize>)| {
            let inks = range.clone().map(|g| moved(block.inks[g], shifts[g]));
            let line = range.clone().next().map_or(0, |g| block.line_of[g]);
            let part = |on: Option<usize>| {
                let of = range
                    .clone()
                    .filter(|&g| on.is_none_or(|l| block.line_of[g] == l));
                let left = of.clone().map(|g| glyphs[g].x).fold(f32::MAX, f32::min);
                let right = of.map(|g| sheet.ends[g]).fold(f32::MIN, f32::max);
                let baseline = block.baselines.get(on.unwrap_or(line)).copied();
                Rect {
                    x: left,
                    y: baseline.unwrap_or(0.0) + center[1] - block.cap_height_px,
                    width: (right - left).max(0.0),
                    height: block.cap_height_px,
                }
            };
            let last = range.clone().map(|g| block.line_of[g]).max();
            WordShape {
                glyphs: range.clone(),
                others: [None, None, None],
                rect: part(None),
                parts: (line..=last.unwrap_or(line))
                    .map(|l| part(Some(l)))
                    .collect(),
                index: words.first + i,
                ink: united(inks),
            }
        };
        sheet.words = words.glyphs.iter().enumerate().map(word).collect();
        if let Some((scale, _)) = look.initial {
            glyphs[0].size_px *= scale;
            if let Some(word) = sheet.words.first_mut() {
                let grown = grown_letter(moved(block.inks[0], shifts[0]), scale);
                word.ink = united([word.ink, grown]);
            }
        }
        sheet.glyphs = glyphs.into();
        let lines: Vec<Rect> = block.lines.iter().map(|l| l.shifted(center)).collect();
        if let Some(style) = &look.panel {
            (sheet.glass, sheet.boxes) = panel(style, &lines, sheet.frame, words.page);
        }
        sheet.key = sheet.hash(look);
        let ink = block.ink.shifted(center);
        sheet.bounds = sheet.bounds_of(look, 0..sheet.words.len(), (Parts::All, ink))?;
        Some(sheet)
    }

    /// Adds a word in another face, centered where the word stands.
    pub(super) fn add_face(&mut self, word: usize, state: usize, block: &TextBlock) {
        let shape = &mut self.words[word];
        let wide = block.advances.iter().sum::<f32>();
        let left = shape.rect.x + (shape.rect.width - wide) / 2.0;
        let first = block.glyphs.iter().map(|g| g.x).fold(f32::MAX, f32::min);
        let baseline = block.baselines.first().copied().unwrap_or(0.0);
        let shift = [left - first, shape.rect.y + shape.rect.height - baseline];
        let start = self.glyphs.len();
        let glyphs = block.glyphs.iter().map(|glyph| Glyph {
            x: glyph.x + shift[0],
            y: glyph.y + shift[1],
            ..*glyph
        });
        self.glyphs = self.glyphs.iter().copied().chain(glyphs).collect();
        for (ink, glyph) in block.inks.iter().zip(&block.glyphs) {
            self.ends.push(glyph.x + shift[0]);
            let ink = Rect {
                x: ink.x + shift[0],
                y: ink.y + shift[1],
                ..*ink
            };
            shape.ink = united([shape.ink, ink]);
        }
        shape.others[state] = Some(start..self.glyphs.len());
    }

    /// Pixels that the words and, with all of them, the boxes may touch.
    fn bounds_of(
        &self,
        look: &Look,
        words: Range<usize>,
        (parts, more): (Parts, Rect),
    ) -> Option<PixelRect> {
        let inks = self.words[words.clone()].iter().map(|word| word.ink);
        let ink = united(inks.chain([more]));
        let stroke = look.stroke.as_ref().filter(|_| parts != Parts::Fill);
        let spread = stroke.map_or(0.0, |(spread, _)| *spread);
        let mut area = Area::around(ink, spread + ROOM_PX);
        for shadow in look.shadows.iter().filter(|shadow| parts.have(shadow)) {
            let reach = spread + shadow.spread + 3.0 * shadow.sigma + ROOM_PX;
            area.join(Area::around(ink, reach).shifted(shadow.offset));
        }
        if parts == Parts::All && words.len() == self.words.len() {
            for shape in &self.boxes {
                let r = shape.rect;
                let room = ROOM_PX
                    + if shape.rotate == 0.0 {
                        0.0
                    } else {
                        r.width.max(r.height)
                    };
                area.join(Area::around(r, room));
            }
        }
        area.pixels()
    }

    /// Words drawn together: all shadows, then all strokes, then fills, so that no neighbor's stroke lies on a letter.
    pub(super) fn group(&self, look: &Look, shown: &[Shown], parts: Parts) -> Option<Group> {
        let bounds = match (shown, parts) {
            ([only], _) => {
                let ink = self.words[only.word].ink;
                self.bounds_of(look, only.word..only.word + 1, (parts, ink))?
            }
            (_, Parts::All) => self.bounds,
            _ => self.bounds_of(look, 0..self.words.len(), (parts, Rect::default()))?,
        };
        let mut contents = Vec::new();
        let stroke = look.stroke.as_ref();
        let spread = stroke.map_or(0.0, |(spread, _)| *spread);
        self.shadows(look, shown, (parts, false, spread), &mut contents);
        if let (Some((spread, tint)), Parts::All | Parts::Hard) = (stroke, parts) {
            let runs = self.runs(shown, |_| (tint, 1.0));
            contents.extend(runs.map(|(range, paint)| GlyphRun {
                spread_px: *spread,
                ..self.run(range, paint)
            }));
        }
        self.shadows(look, shown, (parts, true, 0.0), &mut contents);
        if parts != Parts::Soft {
            let fills = self.runs(shown, |state| fill(look, state));
            contents.extend(fills.map(|(range, paint)| self.run(range, paint)));
            if let (Some((_, color)), Some(0)) = (look.initial, shown.first().map(|s| s.word)) {
                contents.push(self.run(0..1, Paint::Solid(color)));
            }
        }
        Some(Group {
            content: Some(self.key_of(shown, parts)),
            bounds,
            pose: Pose::at(Homography::IDENTITY),
            layers: layers(contents.into_iter().map(Content::Glyphs)),
        })
    }

    fn shadows(
        &self,
        look: &Look,
        shown: &[Shown],
        (parts, above_stroke, spread_px): (Parts, bool, f32),
        contents: &mut Vec<GlyphRun>,
    ) {
        let wanted = look.shadows.iter().filter(|shadow| parts.have(shadow));
        for shadow in wanted.filter(|shadow| shadow.above_stroke == above_stroke) {
            let runs = self.runs(shown, |_| (&shadow.color, 1.0));
            contents.extend(runs.map(|(range, paint)| GlyphRun {
                spread_px: spread_px + shadow.spread,
                blur_px: shadow.sigma,
                offset: shadow.offset,
                ..self.run(range, paint)
            }));
        }
    }

    /// Ranges of glyphs by paint; words that follow each other in one color are one run.
    fn runs<'a>(
        &self,
        shown: &[Shown],
        tint: impl Fn(State) -> (&'a Tint, f32),
    ) -> std::vec::IntoIter<(Range<usize>, Paint)> {
        let mut runs: Vec<(Range<usize>, Paint)> = Vec::new();
        let mut before = None;
        for item in shown {
            let word = &self.words[item.word];
            let other = match item.state {
                State::Plain => None,
                State::Idle => word.others[0].clone(),
                State::Active => word.others[1].clone(),
                State::Spoken => word.others[2].clone(),
            };
            let follows = other.is_none() && before == item.word.checked_sub(1);
            let own = other.is_none();
            let mut range = other.unwrap_or(word.glyphs.clone());
            range.end = range.end.min(range.start.saturating_add(item.letters));
            let (tint, opacity) = tint(item.state);
            let r = word.rect;
            let rect = Rect {
                height: r.height + DESCENT_EM * self.size_px,
                ..r
            };
            let at = Painted {
                page: self.page,
                word: word.index,
                rect,
            };
            let paint = tint.paint(at, opacity);
            before = (own && range.end == word.glyphs.end).then_some(item.word);
            match runs.last_mut() {
                Some((last, same)) if follows && *same == paint => last.end = range.end,
                _ if range.is_empty() => {}
                _ => runs.push((range, paint)),
            }
        }
        runs.into_iter()
    }

    fn run(&self, range: Range<usize>, paint: Paint) -> GlyphRun {
        GlyphRun {
            glyphs: self.glyphs.clone(),
            range,
            spread_px: 0.0,
            blur_px: 0.0,
            offset: [0.0; 2],
            paint,
        }
    }

    /// A number that two groups share only when they look alike (their place included).
    fn key_of(&self, shown: &[Shown], parts: Parts) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.key, shown, parts).hash(&mut hasher);
        hasher.finish()
    }

    /// The key of the boxes behind the letters.
    pub(super) fn panel_key(&self) -> u64 {
        self.key.rotate_left(32)
    }

    fn hash(&self, look: &Look) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{look:?}").hash(&mut hasher);
        self.page.hash(&mut hasher);
        for glyph in self.glyphs.iter() {
            let numbers = [glyph.size_px, glyph.x, glyph.y].map(f32::to_bits);
            (glyph.font, glyph.id, numbers).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// How far the next page stands below.
    pub(super) fn pitch(&self) -> f64 {
        f64::from(self.frame.height / self.n_lines.max(1) as f32)
    }
}

/// Color and opacity of the letters of a word.
fn fill(look: &Look, state: State) -> (&Tint, f32) {
    let own = match state {
        State::Plain => None,
        State::Idle => look.idle.as_ref(),
        State::Active => look.active.as_ref(),
        State::Spoken => look.spoken.as_ref(),
    };
    let tint = own.and_then(|word: &WordLook| word.fill.as_ref());
    (tint.unwrap_or(&look.fill), own.map_or(1.0, |w| w.opacity))
}

/// Contents as layers, back to front.
pub(super) fn layers(contents: impl Iterator<Item = Content>) -> Vec<Layer> {
    let layers = contents.zip(0..).map(|(content, i)| Layer {
        id: LayerId(i),
        known: Known::New,
        opacity: 1.0,
        blend: Blend::Normal,
        content,
    });
    layers.collect()
}

/// How far each glyph stands from where it was laid out: by chance, and to make room for a large first letter.
fn shifts(block: &TextBlock, words: &Words<'_>, look: &Look) -> Vec<[f32; 2]> {
    let room = look
        .initial
        .map_or(0.0, |(scale, _)| (scale - 1.0) * block.advances[0]);
    let mut shifts: Vec<[f32; 2]> = (0..block.glyphs.len())
        .map(|i| match (i, block.line_of[i]) {
            (0, _) => [-room / 2.0, 0.0],
            (_, 0) => [room / 2.0, 0.0],
            _ => [0.0; 2],
        })
        .collect();
    if look.wander > 0.0 {
        for (i, range) in words.glyphs.iter().enumerate() {
            let mut seed = Seed::new(0, "wander", (words.first + i) as u64);
            let wander = f64::from(look.wander);
            let word = seed.between(-wander, wander) as f32;
            for g in range.clone() {
                shifts[g][1] += word + seed.between(-wander, wander) as f32 * 0.4;
            }
        }
    }
    shifts
}

/// A letter's box when it is made larger about its origin on the baseline, on the safe side.
fn grown_letter(ink: Rect, scale: f32) -> Rect {
    let more = (scale - 1.0).abs();
    Rect {
        x: ink.x - ink.width * more,
        y: ink.y - ink.height * more,
        width: ink.width * (1.0 + 2.0 * more),
        height: ink.height * (1.0 + 2.0 * more),
    }
}
