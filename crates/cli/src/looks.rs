//! `kinora transitions`, `captions`, `motions`: the built-in looks by name.

use kinora::plan::looks::{self, Look};
use serde_json::json;

use crate::console;
use crate::failure::Done;

/// Maximum columns of a line for people; long descriptions wrap within their own column.
const LINE_COLUMNS: usize = 110;

/// The tables of looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// How one shot changes to the next
    Transitions,
    /// Caption styles, word by word
    Captions,
    /// How a picture moves
    Motions,
}

impl Kind {
    /// Returns its looks.
    pub(crate) fn looks(self) -> Vec<Look> {
        match self {
            Kind::Transitions => looks::transitions(),
            Kind::Captions => looks::caption_styles(),
            Kind::Motions => looks::motions(),
        }
    }

    /// Returns its name on the command line and in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Transitions => "transitions",
            Kind::Captions => "captions",
            Kind::Motions => "motions",
        }
    }
}

/// Options of a list.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the list as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Prints the list of `kind`.
pub(crate) fn run(kind: Kind, args: &Args) -> Done {
    let looks = kind.looks();
    if args.json {
        console::json_line(&json!({ "event": "result", kind.name(): looks }));
    } else {
        console::print(table(&looks).trim_end());
    }
    Ok(())
}

/// Formats name, length (if any) and description in aligned columns.
fn table(looks: &[Look]) -> String {
    let widest = looks.iter().map(|look| look.name.len()).max().unwrap_or(0);
    let timed = looks.iter().any(|look| look.default_ms.is_some());
    let mut text = String::new();
    for look in looks {
        let ms = look
            .default_ms
            .map_or_else(String::new, |ms| format!("{ms} ms"));
        let head = match timed {
            true => format!("{:widest$}  {ms:>7}  ", look.name),
            false => format!("{:widest$}  ", look.name),
        };
        let room = LINE_COLUMNS.saturating_sub(head.len()).max(20);
        for (i, line) in wrapped(&look.description, room).iter().enumerate() {
            let before = if i == 0 {
                head.clone()
            } else {
                " ".repeat(head.len())
            };
            text += format!("{before}{line}").trim_end();
            text.push('\n');
        }
    }
    text
}

/// Wraps text into at least one line; none longer than `room` unless a word is.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let n_chars = word.chars().count();
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + n_chars <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_long_lines_go_on_below_themselves() {
        let look = |name, description: &str, default_ms| Look {
            name,
            description: description.into(),
            default_ms,
        };
        let long = "word ".repeat(40);
        let text = table(&[
            look("ab", "short", Some(0)),
            look("abcdef", &long, Some(600)),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "ab         0 ms  short");
        assert!(lines[1].starts_with("abcdef   600 ms  word word"));
        assert!(lines[2].starts_with("                 word"));
        assert!(lines.iter().all(|line| line.len() <= LINE_COLUMNS));
        assert_eq!(table(&[look("x", "", None)]), "x\n");
    }
}
