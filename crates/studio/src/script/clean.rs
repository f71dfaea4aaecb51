//! Text as shown in captions: without markup, stage directions and invisible characters.

/// Words that make a parenthesis or a starred remark a stage direction rather than something to say.
const DIRECTIONS: &str = include_str!("data/directions.txt");

const ENTITIES: &[(&str, &str)] = &[
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    ("&mdash;", "—"),
    ("&ndash;", "–"),
    ("&hellip;", "…"),
];

/// More combining marks than this on one letter are decoration.
const MAX_MARKS: usize = 8;
/// A tag or a bracket longer than this (bytes) is treated as text.
const MAX_SPAN: usize = 400;
/// Longest run of marks that is examined.
const MAX_RUN: usize = 8;

/// Returns a text as captions show it. Markdown, HTML tags and stage directions (`[door slams]`, `(whispering)`) are removed, emoji and links stay, blank lines
/// separate paragraphs, other white space becomes one space or line end.
pub fn plain(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut in_code = false;
    let visible = without_invisible(text);
    for line in visible.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        let (body, is_block) = without_block_marks(trimmed);
        let inline = without_inline_marks(body);
        let words: Vec<&str> = inline.split_whitespace().collect();
        if is_block || (words.is_empty() && lines.last().is_some_and(|l| !l.is_empty())) {
            lines.push(String::new());
        }
        if !words.is_empty() {
            lines.push(words.join(" "));
        }
        if is_block {
            lines.push(String::new());
        }
    }
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.join("\n").trim().to_string()
}

/// Returns whether the character is part of an emoji, or a pictograph that a voice should not read.
pub(crate) fn is_pictograph(c: char) -> bool {
    matches!(u32::from(c),
        0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x2190..=0x21FF | 0x2300..=0x23FF | 0x25A0..=0x25FF
        | 0xFE00..=0xFE0F | 0xE0000..=0xE01EF | 0x20E3 | 0x3030 | 0x303D | 0x3297 | 0x3299)
}

/// Returns whether the character only joins its neighbors; Persian, Indic scripts and emoji need it.
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

fn is_invisible(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(u32::from(c), 0x00AD | 0x061C | 0x180E | 0x200B | 0x200E | 0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFD)
}

fn is_combining(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F | 0x0483..=0x0489 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

fn without_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut before, mut n_marks) = ('\n', 0);
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}'], "\n");
    for c in text.replace('\u{2029}', "\n\n").chars() {
        n_marks = if is_combining(c) { n_marks + 1 } else { 0 };
        let stray_joiner = is_joiner(c) && (before.is_ascii() || is_joiner(before));
        if is_invisible(c) || n_marks > MAX_MARKS || stray_joiner {
            continue;
        }
        out.push(c);
        before = c;
    }
    for (entity, meant) in ENTITIES {
        if out.contains(entity) {
            out = out.replace(entity, meant);
        }
    }
    out
}

/// Returns the line without heading, quote and list marks, and whether it is a separate paragraph.
fn without_block_marks(line: &str) -> (&str, bool) {
    let rule = |mark: char| line.len() >= 3 && line.chars().all(|c| c == mark || c == ' ');
    if ['-', '*', '_', '='].into_iter().any(rule) {
        return ("", true);
    }
    let mut rest = line;
    while let Some(quoted) = rest.strip_prefix('>') {
        rest = quoted.trim_start();
    }
    let hashes = rest.chars().take_while(|c| *c == '#').count();
    if (1..=6).contains(&hashes) && rest[hashes..].starts_with(' ') {
        return (rest[hashes..].trim().trim_end_matches('#'), true);
    }
    for bullet in ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "– "] {
        if let Some(item) = rest.strip_prefix(bullet) {
            return (item, false);
        }
    }
    let row = rest.starts_with('|') && rest.ends_with('|') && rest.len() > 1;
    if row && rest.chars().all(|c| "|:- ".contains(c)) {
        return ("", false);
    }
    (rest, false)
}

fn without_inline_marks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    let is_row = line.starts_with('|') && line.ends_with('|');
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let step = match c {
            '!' if rest.starts_with("![") => skip_link(rest, 1, None),
            '[' => skip_link(rest, 0, Some(&mut out)),
            '<' => skip_tag(rest, &mut out),
            '(' => skip_direction(rest, ')'),
            '（' => skip_direction(rest, '）'),
            '*' => skip_direction(rest, '*').or_else(|| skip_mark(rest, &out)),
            '_' | '~' | '`' | '=' => skip_mark(rest, &out),
            '|' if is_row => Some(1),
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                out.push_str(&rest[1..2]);
                Some(2)
            }
            'h' | 'w' if is_link(rest) => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                out.push_str(&rest[..end]);
                Some(end)
            }
            _ => None,
        };
        match step {
            Some(bytes) => at += bytes,
            None => {
                out.push(c);
                at += c.len_utf8();
            }
        }
        if step.is_some() && matches!(c, '|' | '<' | '(' | '[') && !out.ends_with(' ') {
            glue(&mut out, &line[at..], c);
        }
    }
    out
}

/// Leaves one space for text that was removed between two words, and none before punctuation.
fn glue(out: &mut String, rest: &str, cut: char) {
    let next = rest.chars().next();
    let inside_word = cut == '<' || cut == '[';
    if cut == '|' || (!inside_word && next.is_some_and(char::is_alphanumeric)) {
        out.push(' ');
    }
}

/// Skips a link: `[text](target)` gives the text, `[anything]` nothing. `n_before` bytes are before the bracket.
fn skip_link(rest: &str, n_before: usize, shown: Option<&mut String>) -> Option<usize> {
    let open = n_before + 1;
    let close = open + within(&rest[open..]).find(']')?;
    let after = &rest[close + 1..];
    let target = match after.chars().next() {
        Some('(') => within(after).find(')').map(|end| end + 1),
        Some('[') => within(after).find(']').map(|end| end + 1),
        _ => None,
    };
    if let (Some(out), Some(_)) = (shown, target) {
        out.push_str(&rest[open..close]);
    }
    Some(close + 1 + target.unwrap_or_default())
}

/// Skips `<tag …>` and `<!-- … -->`; a tag that ends a line leaves a space.
fn skip_tag(rest: &str, out: &mut String) -> Option<usize> {
    let name = rest[1..].trim_start_matches('/');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!') {
        return None;
    }
    let end = within(rest).find('>')? + 1;
    if ["br", "p", "div", "li", "h1", "h2", "h3", "tr", "td"]
        .iter()
        .any(|tag| {
            name.strip_prefix(tag)
                .is_some_and(|r| r.starts_with([' ', '>', '/']))
        })
    {
        out.push(' ');
    }
    Some(end)
}

/// Skips `(whispering)` and `*sighs*`: short texts that begin or end with a word of the table.
fn skip_direction(rest: &str, close: char) -> Option<usize> {
    let open = rest.chars().next()?.len_utf8();
    let end = open + within(&rest[open..]).find(close)?;
    let inner: Vec<String> = rest[open..end]
        .split(|c: char| !c.is_alphabetic() && c != '-')
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_known = |word: Option<&String>| {
        word.is_some_and(|w| DIRECTIONS.split_whitespace().any(|known| known == w))
    };
    let is_direction = inner.len() <= 6
        && (is_known(inner.first()) || (inner.len() <= 3 && is_known(inner.last())));
    is_direction.then_some(end + close.len_utf8())
}

/// Skips emphasis and code marks: those that touch a word on one side only, and runs.
fn skip_mark(rest: &str, out: &str) -> Option<usize> {
    let mark = rest.chars().next()?;
    let run = rest
        .chars()
        .take(MAX_RUN)
        .take_while(|c| *c == mark)
        .count();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let (before, after) = (out.chars().next_back(), rest[run..].chars().next());
    let dropped = match mark {
        '`' => true,
        '=' => run >= 2 && is_word(before) != is_word(after),
        '~' => run >= 2,
        _ if is_blank(before) && is_blank(after) => run > 1,
        '_' => run > 1 || !(is_word(before) && is_word(after)),
        _ => {
            !(run == 1
                && before.is_some_and(|c| c.is_ascii_digit())
                && after.is_some_and(|c| c.is_ascii_digit()))
        }
    };
    dropped.then_some(run)
}

/// Returns whether a link begins here.
pub(crate) fn is_link(text: &str) -> bool {
    ["http://", "https://", "www."].iter().any(|start| {
        text.get(..start.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(start))
    })
}

/// Returns the first [`MAX_SPAN`] bytes, because a closing mark further away is unrelated.
fn within(text: &str) -> &str {
    let mut end = text.len().min(MAX_SPAN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
