//! Rust source as text: without comments and tests, and the paths that it names.

use crate::read;

/// Returns the code of a file, without comment lines and test modules.
pub fn code(name: &str) -> String {
    without_test_modules(&read(name))
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Returns `text` without what stands under `#[cfg(test)]` at the start of a line, up to the semicolon or the closing brace at the start of a line.
fn without_test_modules(text: &str) -> String {
    let mut parts = text.split("\n#[cfg(test)]\n");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let first_line = part.split('\n').next().unwrap_or_default();
        let end = match first_line.ends_with(';') {
            true => first_line.len(),
            false => part.find("\n}").map_or(part.len(), |at| at + 2),
        };
        code += &part[end..];
    }
    code
}

/// Returns every path that follows `crate::` in `code`, with groups in braces written out.
pub fn crate_paths(code: &str) -> Vec<String> {
    paths_after(code, "crate::")
}

/// Returns every path that follows `start` in `code`, with groups in braces written out.
pub fn paths_after(code: &str, start: &str) -> Vec<String> {
    let starts = code.match_indices(start).filter(|(at, _)| {
        !code[..*at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'))
    });
    starts
        .flat_map(|(at, found)| expand(&code[at + found.len()..]).0)
        .collect()
}

/// The paths of a use tree at the start of `text`, and how many bytes it takes.
fn expand(text: &str) -> (Vec<String>, usize) {
    let head = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(text.len());
    let prefix = text[..head].trim_end_matches(':');
    if !text[head..].starts_with('{') {
        return (vec![prefix.to_owned()], head);
    }
    let (mut paths, mut at) = (Vec::new(), head + 1);
    while at < text.len() && !text[at..].starts_with('}') {
        if text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            let (inner, len) = expand(&text[at..]);
            paths.extend(inner.iter().map(|path| {
                if prefix.is_empty() {
                    path.clone()
                } else {
                    format!("{prefix}::{path}")
                }
            }));
            at += len;
        } else {
            at += text[at..].chars().next().unwrap().len_utf8();
        }
    }
    (paths, at + 1)
}

#[test]
fn use_trees_are_written_out() {
    let paths = crate_paths(
        "use crate::{error::{Error, Result}, units};\nlet a = crate::scene::draw::Layer::new();",
    );
    assert_eq!(
        paths,
        [
            "error::Error",
            "error::Result",
            "units",
            "scene::draw::Layer::new"
        ]
    );
}

#[test]
fn test_modules_are_left_out_and_what_follows_them_stays() {
    let text =
        "a();\n#[cfg(test)]\nmod tests;\nb();\n#[cfg(test)]\nmod more {\n    x();\n}\nc();\n";
    assert_eq!(without_test_modules(text), "a();\nb();\nc();\n");
}
