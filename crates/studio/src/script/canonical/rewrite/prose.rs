//! Prose: paragraphs are scenes, sentences are shots, quotations are spoken by the character that the sentence names.

use unicode_segmentation::UnicodeSegmentation;

use super::draft::{Draft, DraftScene, DraftShot};
use super::plain::one_line;
use crate::script::canonical::line::{closers, trimmed};

/// Reads prose.
pub(super) fn read(text: &str) -> Draft {
    let mut draft = Draft::default();
    let mut title = String::new();
    for paragraph in paragraphs(text) {
        if let Some(heading) = paragraph.strip_prefix('#') {
            title = heading.trim_start_matches('#').to_owned();
            continue;
        }
        draft.scenes.push(DraftScene {
            title: std::mem::take(&mut title),
            shots: sentences(&paragraph)
                .iter()
                .map(|sentence| shot(sentence))
                .collect(),
        });
    }
    if !title.is_empty() && draft.scenes.is_empty() {
        let shots = vec![shot(&title)];
        draft.scenes.push(DraftScene { title, shots });
    }
    draft
}

/// Returns the paragraphs between blank lines, each on one line; headings are separate paragraphs.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text
        .split([
            '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
        ])
        .map(trimmed)
    {
        let last = paragraphs.len() - 1;
        let is_heading = line.starts_with('#');
        if line.is_empty() || is_heading || paragraphs[last].starts_with('#') {
            paragraphs.push(line.to_owned());
        } else {
            paragraphs[last].push(' ');
            paragraphs[last].push_str(line);
        }
    }
    let paragraphs = paragraphs.iter().map(|paragraph| one_line(paragraph));
    paragraphs
        .filter(|paragraph| !paragraph.is_empty())
        .collect()
}

/// Splits into sentences by Unicode's annex 29, and rejoins those split after an abbreviation or within a quotation.
fn sentences(paragraph: &str) -> Vec<String> {
    const MAX_JOINED_BYTES: usize = 600;
    let mut sentences: Vec<String> = Vec::new();
    for part in paragraph.unicode_sentences() {
        match sentences
            .last_mut()
            .filter(|last| last.len() < MAX_JOINED_BYTES && is_unfinished(last))
        {
            Some(last) => last.push_str(part),
            None => sentences.push(part.to_owned()),
        }
    }
    sentences
}

/// Returns whether a sentence continues after its apparent end.
fn is_unfinished(sentence: &str) -> bool {
    let word = sentence.split_whitespace().next_back().unwrap_or_default();
    is_abbreviation(word) || spans(sentence).is_err()
}

/// Returns whether a word's full stop belongs to it: an initial, a title.
fn is_abbreviation(word: &str) -> bool {
    const KNOWN: &[&str] = &[
        "mr.", "mrs.", "ms.", "dr.", "st.", "prof.", "vs.", "e.g.", "i.e.", "no.", "jr.", "sr.",
    ];
    let is_initial = word.ends_with('.')
        && word.chars().nth(2).is_none()
        && word.starts_with(char::is_uppercase);
    is_initial || KNOWN.contains(&word.to_lowercase().as_str())
}

/// Returns the byte ranges of quoted text; an error if a quotation is not closed.
fn spans(text: &str) -> Result<Vec<(usize, usize)>, ()> {
    let mut spans = Vec::new();
    let mut open: Option<(usize, &[char])> = None;
    for (at, c) in text.char_indices() {
        match open {
            Some((start, closing)) if closing.contains(&c) => {
                spans.push((start, at));
                open = None;
            }
            None => open = closers(c).map(|closing| (at + c.len_utf8(), closing)),
            Some(_) => {}
        }
    }
    if open.is_some() { Err(()) } else { Ok(spans) }
}

fn shot(sentence: &str) -> DraftShot {
    let sentence = trimmed(sentence);
    let spans = spans(sentence).unwrap_or_default();
    let (mut around, mut done) = (String::new(), 0);
    for (start, end) in &spans {
        around.push_str(&sentence[done..*start]);
        around.push_str(" … ");
        done = *end;
    }
    around.push_str(&sentence[done..]);
    let speaker = if spans.is_empty() {
        None
    } else {
        speaker(&around)
    };
    let said = match speaker {
        Some(name) => {
            let quotes: Vec<&str> = spans
                .iter()
                .map(|(start, end)| sentence[*start..*end].trim())
                .collect();
            vec![(Some(name), quotes.join(" "))]
        }
        None => vec![(None, sentence.to_owned())],
    };
    DraftShot {
        seen: vec![sentence.to_owned()],
        said,
        secs: None,
    }
}

/// Verbs next to a speaker's name.
const SPEECH_VERBS: &[&str] = &[
    "said",
    "says",
    "asked",
    "asks",
    "replied",
    "replies",
    "answered",
    "answers",
    "whispered",
    "whispers",
    "shouted",
    "shouts",
    "cried",
    "cries",
    "called",
    "added",
    "adds",
    "murmured",
    "muttered",
    "exclaimed",
    "yelled",
    "told",
    "announced",
    "explained",
    "sagte",
    "fragte",
    "rief",
    "dijo",
    "preguntó",
    "dit",
    "demanda",
    "disse",
    "chiese",
];

/// Words that may begin with a capital but are not names.
const NOT_NAMES: &[&str] = &[
    "he", "she", "they", "it", "i", "we", "you", "the", "a", "an", "then", "and", "but", "so",
    "his", "her", "their", "my", "our", "as", "when", "er", "sie", "es", "ich", "wir", "el",
    "ella", "il", "elle", "io", "ele", "ela", "this", "that", "someone", "everyone", "nobody",
];

/// Returns the speaker, if exactly one name is next to a verb of speech.
fn speaker(around: &str) -> Option<String> {
    const MAX_WORDS: usize = 3;
    let words: Vec<&str> = around.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_name = |word: &str| {
        let word = bare(word);
        word.starts_with(char::is_uppercase) && !NOT_NAMES.contains(&word.to_lowercase().as_str())
    };
    let ends_phrase = |word: &str| {
        word.ends_with([',', '.', '!', '?', '…', ';', ':', '"', '”']) && !is_abbreviation(word)
    };
    let mut names: Vec<String> = Vec::new();
    for at in (0..words.len())
        .filter(|at| SPEECH_VERBS.contains(&bare(words[*at]).to_lowercase().as_str()))
    {
        let mut after: Vec<&str> = Vec::new();
        for word in words[at + 1..]
            .iter()
            .take(MAX_WORDS)
            .take_while(|word| is_name(word))
        {
            after.push(word);
            if ends_phrase(word) {
                break;
            }
        }
        let before = words[..at]
            .iter()
            .rev()
            .take(MAX_WORDS)
            .take_while(|word| is_name(word) && !ends_phrase(word));
        let mut before: Vec<&str> = before.copied().collect();
        before.reverse();
        // In `told Tom` and `asked Tom`, Tom may be the listener: a name before the verb takes precedence.
        let name = if before.is_empty() { after } else { before };
        if !name.is_empty() {
            names.push(name.into_iter().map(bare).collect::<Vec<_>>().join(" "));
        }
    }
    names.dedup();
    match <[String; 1]>::try_from(names) {
        Ok([name]) => Some(name),
        Err(_) => None,
    }
}
