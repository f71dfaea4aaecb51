//! The subject of a video: the positional argument of the studio's commands, a request file or a prompt in words.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::read_text;
use crate::failure::Failure;
use crate::output;

/// The positional argument.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
pub(crate) struct About {
    /// A prompt in quotes, such as "Why cats purr", or a request file (JSON), or - for stdin. An argument that is not a file is the prompt. One that looks like
    /// a file name (request.json, story.txt, ./request) must exist; to use it as a prompt, pass it with --prompt
    #[arg(value_name = "PROMPT|REQUEST.json")]
    about: Vec<OsString>,
}

/// The parsed argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asked {
    /// A request file, or stdin.
    Request(PathBuf),
    /// The topic of the video.
    Prompt(String),
}

impl About {
    /// Parses the argument; `None` if there is none.
    pub(crate) fn asked(&self) -> Result<Option<Asked>, Failure> {
        match self.about.as_slice() {
            [] => Ok(None),
            [one] => asked(one).map(Some),
            [first, ..] => {
                let words: Vec<String> = self.about.iter().map(shown).collect();
                let is_request = first == "-" || words[0].ends_with(".json");
                if is_request || words.iter().any(|word| word.contains(char::is_whitespace)) {
                    return Err(Failure::Usage(format!(
                        "{} arguments were given instead of one: {}; put the prompt in one pair of quotes, and give the output as -o FILE",
                        words.len(),
                        words.join(", ")
                    )));
                }
                // A prompt without quotes.
                Ok(Some(Asked::Prompt(words.join(" "))))
            }
        }
    }
}

impl Asked {
    /// Returns the request file.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Asked::Request(file) => Some(file),
            Asked::Prompt(_) => None,
        }
    }

    /// Returns the request as JSON; a prompt alone is valid in both interfaces.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        match self {
            Asked::Request(file) => read_text(file),
            Asked::Prompt(prompt) => Ok(json!({ "prompt": prompt }).to_string()),
        }
    }
}

fn shown(argument: &OsString) -> String {
    argument.to_string_lossy().into_owned()
}

fn asked(argument: &OsString) -> Result<Asked, Failure> {
    let (path, text) = (Path::new(argument), shown(argument));
    if path.is_dir() && !text.contains(char::is_whitespace) && looks_like_a_path(&text) {
        return Err(Failure::Usage(format!(
            "{text} is a folder: name a request in it, such as {}",
            path.join("request.json").display()
        )));
    }
    if output::is_pipe(path) || (path.exists() && !path.is_dir()) {
        return Ok(Asked::Request(path.to_owned()));
    }
    if looks_like_a_path(&text) {
        return Err(Failure::Usage(format!(
            "{text} cannot be read: there is no such file; if these words are the prompt, write --prompt \"{text}\""
        )));
    }
    Ok(Asked::Prompt(text))
}

/// Whether a text is meant as a file name, existing or not: it begins with a folder or ends in a file extension.
fn looks_like_a_path(text: &str) -> bool {
    let is_in_folder = ["/", "./", "../", "~/"]
        .iter()
        .any(|start| text.starts_with(start));
    let is_json = text.to_ascii_lowercase().ends_with(".json");
    if is_in_folder || is_json || text.contains(char::is_whitespace) {
        return is_in_folder || is_json;
    }
    let Some((stem, ending)) = text.rsplit_once('.') else {
        return text.ends_with('/');
    };
    let is_ending =
        (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
    !stem.is_empty() && is_ending && ending.contains(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Result<Option<Asked>, Failure> {
        let about = words.iter().map(OsString::from).collect();
        About { about }.asked()
    }

    fn prompt(text: &str) -> Option<Asked> {
        Some(Asked::Prompt(text.into()))
    }

    #[test]
    fn what_is_no_file_is_the_prompt() {
        for text in [
            "Why cats purr",
            "cats",
            "Warum schnurren Katzen?",
            "猫为什么会打呼噜。",
            "24/7",
            "The year 1.5 of the war",
            "It ends here.",
            "What is in a .txt",
            "wait...",
            "3.14",
        ] {
            assert_eq!(of(&[text]).unwrap(), prompt(text), "{text}");
        }
        assert_eq!(
            of(&["why", "cats", "purr"]).unwrap(),
            prompt("why cats purr")
        );
        assert_eq!(of(&[]).unwrap(), None);
    }

    #[test]
    fn what_looks_like_a_file_has_to_be_there() {
        for text in [
            "request.json",
            "my request.json",
            "story.txt",
            "./request",
            "/no/such/thing",
            "~/x",
            "folder.d/x.JSON",
        ] {
            let failure = format!("{:?}", of(&[text]).unwrap_err());
            assert!(
                failure.contains("no such file") && failure.contains("--prompt"),
                "{failure}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("asked");
        std::fs::write(&file, "{}").unwrap();
        let name = file.to_str().unwrap();
        assert_eq!(of(&[name]).unwrap(), Some(Asked::Request(file.clone())));
        assert_eq!(of(&["-"]).unwrap(), Some(Asked::Request("-".into())));
        let failure = format!("{:?}", of(&[folder.path().to_str().unwrap()]).unwrap_err());
        assert!(failure.contains("is a folder"), "{failure}");
    }

    #[test]
    fn several_arguments_are_one_prompt_or_a_mistake() {
        for words in [
            ["Why cats purr", "out.mp4"],
            ["request.json", "out.mp4"],
            ["-", "cats"],
        ] {
            let failure = format!("{:?}", of(&words).unwrap_err());
            assert!(failure.contains("2 arguments"), "{failure}");
        }
    }
}
