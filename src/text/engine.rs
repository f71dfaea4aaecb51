//! The layout engine: the families in use, which family sets which character, and which installed fonts help.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use parley::fontique::{Collection, SourceCache};
use parley::{FontContext, LayoutContext};

use super::clean::is_invisible;
use super::emoji;
use super::face::FaceKey;
use super::fonts::STAND_INS;
use super::installed::Installed;

/// Maximum number of cached answers about which family has which character.
const MAX_ANSWERS: usize = 50_000;

/// Layout state; used by one thread at a time.
pub(super) struct Engine {
    pub(super) context: FontContext,
    pub(super) layouts: LayoutContext<()>,
    pub(super) face_ids: HashMap<FaceKey, u32>,
    /// Bundled and added families, in fallback order.
    fallbacks: Vec<String>,
    installed: Option<Installed>,
    covered: HashMap<(String, char), bool>,
    found: HashMap<(char, bool, &'static str), Option<String>>,
}

/// The fonts that may set a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    All,
    Bundled,
}

/// The families that set a text.
#[derive(Debug, Default)]
pub(super) struct Families {
    /// In order of preference.
    pub(super) names: Vec<String>,
    /// The family with color emoji, if the text has emoji.
    emoji: Option<usize>,
    /// Characters that none of them has.
    pub(super) missing: Vec<char>,
}

impl Families {
    /// Returns the index of a family, adding it if it is new.
    fn place_of(&mut self, family: String) -> usize {
        match self.names.iter().position(|name| *name == family) {
            Some(i) => i,
            None => {
                self.names.push(family);
                self.names.len() - 1
            }
        }
    }
}

impl Engine {
    /// Creates an engine with bundled and added families only.
    pub(super) fn new(collection: Collection, fallbacks: Vec<String>) -> Engine {
        Engine {
            context: FontContext {
                collection,
                source_cache: SourceCache::default(),
            },
            layouts: LayoutContext::new(),
            face_ids: HashMap::new(),
            fallbacks,
            installed: None,
            covered: HashMap::new(),
            found: HashMap::new(),
        }
    }

    /// Makes a family usable; returns `false` if there is none of that name.
    pub(super) fn provide(&mut self, family: &str) -> bool {
        if self.context.collection.family_by_name(family).is_some() {
            return true;
        }
        let installed = self.installed.get_or_insert_with(Installed::scan);
        if !installed.has(family) {
            return false;
        }
        for blob in installed.files(family) {
            self.context.collection.register_fonts(blob, None);
        }
        self.context.collection.family_by_name(family).is_some()
    }

    /// Returns the names of all families.
    pub(super) fn all_families(&mut self) -> Vec<String> {
        let own = self.context.collection.family_names().map(str::to_owned);
        let mut all: Vec<String> = own.collect();
        let installed = self.installed.get_or_insert_with(Installed::scan);
        all.extend(installed.families().cloned());
        all.sort();
        all.dedup();
        all
    }

    /// Returns the families in which to set `text`; Han characters use the shapes of `region`.
    pub(super) fn families(
        &mut self,
        family: &str,
        text: &str,
        (region, trust): (&'static str, Trust),
    ) -> Families {
        let mut families = Families::default();
        if trust == Trust::Bundled {
            families.names = STAND_INS.map(str::to_owned).to_vec();
            return families;
        }
        if self.provide(family) {
            families.names.push(family.to_owned());
        }
        let others = self.fallbacks.iter().filter(|f| *f != family);
        families.names.extend(others.cloned());
        for span in emoji::spans(text) {
            let Some(first) = text[span].chars().next() else {
                continue;
            };
            if let Some(found) = self.installed_for(first, true, region)
                && found.contains("Emoji")
            {
                families.emoji = Some(families.place_of(found));
                break;
            }
        }
        let mut seen = HashSet::new();
        for c in text.chars() {
            if is_invisible(c) || !seen.insert(c) {
                continue;
            }
            if families.names.iter().any(|family| self.covers(family, c)) {
                continue;
            }
            match self.installed_for(c, false, region) {
                Some(found) => {
                    families.place_of(found);
                }
                None => families.missing.push(c),
            }
        }
        families
    }

    /// Returns an installed family that has `c`, after making it usable.
    fn installed_for(&mut self, c: char, emoji: bool, region: &'static str) -> Option<String> {
        let key = (c, emoji, region);
        if let Some(known) = self.found.get(&key) {
            return known.clone();
        }
        let installed = self.installed.get_or_insert_with(Installed::scan);
        let found = installed.family_for(c, emoji, region);
        let found = found.filter(|family| self.provide(family));
        if self.found.len() >= MAX_ANSWERS {
            self.found.clear();
        }
        self.found.insert(key, found.clone());
        found
    }

    /// Returns the parts not set in the first family, with the index of their family: emoji, and whole words, because a word in two faces looks broken.
    pub(super) fn parts(&mut self, families: &Families, text: &str) -> Vec<(Range<usize>, usize)> {
        let mut out = Vec::new();
        let mut start = 0;
        for part in text.split_inclusive(char::is_whitespace) {
            let part = start..start + part.len();
            let word = part.start..part.start + text[part.clone()].trim_end().len();
            start = part.end;
            let chars = without_emoji(&text[word.clone()], families.emoji.is_some());
            let sets = |engine: &mut Engine, family: &str| {
                let mut drawn = chars.chars().filter(|c| !is_invisible(*c));
                drawn.all(|c| engine.covers(family, c))
            };
            let found = families.names.iter().position(|name| sets(self, name));
            out.extend(found.filter(|i| *i > 0).map(|i| (word, i)));
        }
        if let Some(emoji) = families.emoji {
            out.extend(emoji::spans(text).map(|span| (span, emoji)));
        }
        out
    }

    fn covers(&mut self, family: &str, c: char) -> bool {
        let key = (family.to_owned(), c);
        if let Some(known) = self.covered.get(&key) {
            return *known;
        }
        let context = &mut self.context;
        let covers = context
            .collection
            .family_by_name(family)
            .is_some_and(|info| {
                info.fonts().iter().any(|font| {
                    font.load(Some(&mut context.source_cache))
                        .is_some_and(|blob| {
                            font.charmap_index()
                                .charmap(blob.as_ref())
                                .and_then(|map| map.map(c))
                                .is_some_and(|glyph| glyph != 0)
                        })
                })
            });
        if self.covered.len() >= MAX_ANSWERS {
            self.covered.clear();
        }
        self.covered.insert(key, covers);
        covers
    }
}

/// Returns a word's characters, without its emoji if those have a separate family.
fn without_emoji(word: &str, apart: bool) -> Cow<'_, str> {
    let mut spans = emoji::spans(word).peekable();
    if !apart || spans.peek().is_none() {
        return Cow::Borrowed(word);
    }
    let (mut out, mut end) = (String::new(), 0);
    for span in spans {
        out.push_str(&word[end..span.start]);
        end = span.end;
    }
    out.push_str(&word[end..]);
    Cow::Owned(out)
}
