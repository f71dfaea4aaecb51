//! Laid-out text as layers: shadows, strokes, then fills of any of its words, as one group.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::area::{Area, united};
use super::letters::{WordShape, Words, grown_letter, initial, shifts};
use super::look::{Look, Painted, Shadow, Tint, WordLook};
use super::panel::panel;
use crate::scene::draw::Blend;
use crate::scene::draw::{
    BoxShape, Content, Glyph, GlyphRun, Group, Homography, Known, Layer, LayerId, Paint, Pose,
};
use crate::text::TextBlock;
use crate::units::{Color, PixelRect, Rect};

/// Margin for anti-aliasing and the tails of blurs.
const ROOM_PX: f32 = 3.0;

/// How far letters reach below the baseline, em.
const DESCENT_EM: f32 = 0.22;

/// State of a word at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// As the style draws all letters, in no particular state.
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
    /// Its index on the page.
    pub(super) word: usize,
    pub(super) state: State,
    /// Number of glyphs drawn, from the first; `usize::MAX` for all.
    pub(super) letters: usize,
}

/// Which parts of the letters are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Parts {
    All,
    /// The blurred shadows below the strokes. They lie under all words and stay when a letter moves slightly.
    Soft,
    /// All but the soft shadows.
    Hard,
    /// Only the fills of the letters.
    Fill,
}

impl Parts {
    /// Returns whether a shadow is among them.
    fn have(self, shadow: &Shadow) -> bool {
        match self {
            Parts::All => true,
            Parts::Soft => shadow.is_soft(),
            Parts::Hard => !shadow.is_soft(),
            Parts::Fill => false,
        }
    }
}

/// Glyphs on the canvas with everything drawn around them. Shaped once: its glyph array is shared by every run of every frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sheet {
    /// The page's glyphs, then those of words in other faces.
    pub(super) glyphs: Arc<[Glyph]>,
    pub(super) words: Vec<WordShape>,
    /// The area the page's letters and boxes touch.
    pub(super) bounds: PixelRect,
    /// Boxes behind the letters, back to front.
    pub(super) boxes: Vec<BoxShape>,
    /// Boxes behind which the picture is blurred.
    pub(super) glass: Vec<BoxShape>,
    /// Bounding box of all lines.
    pub(super) frame: Rect,
    pub(super) size_px: f32,
    /// Whether its lines run from right to left.
    pub(super) rtl: bool,
    /// Color of a large first letter, if any.
    initial: Option<Color>,
    page: usize,
    n_lines: usize,
    /// Hash of the look and of all glyphs.
    key: u64,
}

impl Sheet {
    /// Returns a sheet without words, for a page of `n_lines` lines.
    fn empty((page, n_lines): (usize, usize), frame: Rect, size_px: f32) -> Sheet {
        Sheet {
            glyphs: Arc::default(),
            words: Vec::new(),
            bounds: PixelRect::default(),
            boxes: Vec::new(),
            glass: Vec::new(),
            frame,
            size_px,
            rtl: false,
            initial: None,
            page,
            n_lines,
            key: 0,
        }
    }

    /// Creates the sheet of a block centered at `center`, or `None` if nothing of it is visible.
    pub(super) fn new(
        block: &TextBlock,
        center: [f32; 2],
        words: &Words<'_>,
        look: &Look,
    ) -> Option<Sheet> {
        if block.glyphs.is_empty() {
            return None;
        }
        let frame = block.frame().shifted(center);
        let mut sheet = Sheet::empty((words.page, block.lines.len()), frame, block.size_px);
        sheet.rtl = block.rtl;
        let initial = initial(block, words, look);
        let shifts = shifts(block, words, look, initial);
        let mut glyphs = block.glyphs.clone();
        for (glyph, [dx, dy]) in glyphs.iter_mut().zip(&shifts) {
            glyph.x += center[0] + dx;
            glyph.y += center[1] + dy;
        }
        sheet.words = words.shapes(block, center, &shifts);
        if sheet.words.iter().all(|word| word.glyphs.is_empty()) {
            return None;
        }
        if let Some((scale, color)) = initial {
            glyphs[0].size_px *= scale;
            sheet.initial = Some(color);
            if let Some(word) = sheet.words.iter_mut().find(|word| !word.glyphs.is_empty()) {
                let own = block.places[0].ink.shifted(center).shifted(shifts[0]);
                word.ink = united([word.ink, grown_letter(own, scale)]);
            }
        }
        sheet.glyphs = glyphs.into();
        let lines: Vec<Rect> = block.lines.iter().map(|l| l.shifted(center)).collect();
        if let Some(style) = &look.panel {
            (sheet.glass, sheet.boxes) = panel(style, &lines, (frame, sheet.rtl), words.page);
        }
        sheet.key = sheet.hash(look);
        let ink = block.ink.shifted(center);
        sheet.bounds = sheet.bounds_of(look, 0..sheet.words.len(), (Parts::All, ink))?;
        Some(sheet)
    }

    /// Adds a word in another face, centered on the word's position.
    pub(super) fn add_face(&mut self, word: usize, state: usize, block: &TextBlock) {
        let shape = &mut self.words[word];
        let left = block
            .places
            .iter()
            .map(|p| p.pen[0])
            .fold(f32::MAX, f32::min);
        let right = block
            .places
            .iter()
            .map(|p| p.pen[1])
            .fold(f32::MIN, f32::max);
        let middle = shape.rect.x + shape.rect.width / 2.0;
        let baseline = block.baselines.first().copied().unwrap_or(0.0);
        let shift = [
            middle - (left + right) / 2.0,
            shape.rect.y + shape.rect.height - baseline,
        ];
        let start = self.glyphs.len();
        let glyphs = block.glyphs.iter().map(|glyph| Glyph {
            x: glyph.x + shift[0],
            y: glyph.y + shift[1],
            ..*glyph
        });
        self.glyphs = self.glyphs.iter().copied().chain(glyphs).collect();
        let inks = block.places.iter().map(|place| place.ink.shifted(shift));
        shape.ink = united(inks.chain([shape.ink]));
        shape.others[state] = Some(start..self.glyphs.len());
    }

    /// Returns the pixels that the words (and the boxes, if all words are drawn) may touch.
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

    /// Draws words together: all shadows, then all strokes, then fills, so that no neighbor's stroke covers a letter.
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
            let first = shown.iter().find(|item| self.glyphs_of(item).contains(&0));
            if let (Some(color), Some(_)) = (self.initial, first) {
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

    /// Returns ranges of glyphs by paint; consecutive words of one color form one run.
    fn runs<'a>(
        &self,
        shown: &[Shown],
        tint: impl Fn(State) -> (&'a Tint, f32),
    ) -> std::vec::IntoIter<(Range<usize>, Paint)> {
        let mut runs: Vec<(Range<usize>, Paint)> = Vec::new();
        let mut before = None;
        for item in shown {
            let word = &self.words[item.word];
            let range = self.glyphs_of(item);
            let own = range.start == word.glyphs.start;
            let follows = own && before == item.word.checked_sub(1);
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
            // A word without glyphs draws nothing; it only lets a run continue across it.
            let goes_on = own && range.end == word.glyphs.end && (follows || !range.is_empty());
            before = goes_on.then_some(item.word);
            match runs.last_mut() {
                _ if range.is_empty() => {}
                Some((last, same)) if follows && *same == paint => last.end = range.end,
                _ => runs.push((range, paint)),
            }
        }
        runs.into_iter()
    }

    /// Returns the glyphs that show a word.
    fn glyphs_of(&self, item: &Shown) -> Range<usize> {
        let word = &self.words[item.word];
        let mut range = word.glyphs_in(item.state);
        range.end = range.end.min(range.start.saturating_add(item.letters));
        range
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

    /// Returns a number that two groups share only if they are drawn alike, position included.
    fn key_of(&self, shown: &[Shown], parts: Parts) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.key, shown, parts).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the key of the boxes behind the letters.
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

    /// Returns how far below the next page is drawn.
    pub(super) fn pitch(&self) -> f64 {
        f64::from(self.frame.height / self.n_lines.max(1) as f32)
    }
}

/// Returns color and opacity of a word's letters.
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

/// Wraps contents as layers, back to front.
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
