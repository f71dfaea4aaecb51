//! A rule of the code: nothing is clamped between computed bounds.

use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files of all crates, tests left out.
fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join("src"), &mut found);
    for member in fs::read_dir(root.join("crates")).unwrap().flatten() {
        walk(&member.path().join("src"), &mut found);
    }
    found
}

/// A file without its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The arguments of a call whose opening parenthesis lies before `text`.
fn arguments(text: &str) -> Vec<String> {
    let (mut depth, mut all) = (1, vec![String::new()]);
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        match c {
            _ if depth == 0 => break,
            ',' if depth == 1 => all.push(String::new()),
            _ => all.last_mut().unwrap().push(c),
        }
    }
    all.retain(|argument| !argument.trim().is_empty());
    all
}

/// Whether a bound stands in the code as a number or a constant (`LEAST`, `RANGE[0]`, `FIELD.start`), so that what is wrong with it is seen at once.
fn is_fixed(bound: &str) -> bool {
    let bound = bound.trim().trim_start_matches('-');
    let bound = bound.split(" as ").next().unwrap();
    let name = bound.split(['[', '.']).next().unwrap();
    let is_constant = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let digits = bound.trim_matches(['(', ')']).replace(" << ", "");
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || "._".contains(c));
    is_constant || is_number
}

#[test]
fn nothing_is_clamped_between_computed_bounds() {
    assert!(is_fixed("-32_768.0") && is_fixed("1 << 60") && is_fixed(" FIELD.start"));
    assert!(!is_fixed("n - 1") && !is_fixed("room") && !is_fixed("low as f32"));
    let mut wrong = Vec::new();
    for name in sources() {
        let code = code(&name);
        for (at, found) in code.match_indices("clamp(") {
            let is_defined = code[..at].ends_with("fn ");
            let bounds = arguments(&code[at + found.len()..]);
            // `color.clamp()` has bounds of its own.
            let is_good =
                bounds.is_empty() || bounds.len() == 2 && bounds.iter().all(|b| is_fixed(b));
            if !is_good && !is_defined {
                wrong.push(format!("{}: clamp({})", name.display(), bounds.join(",")));
            }
        }
        if code.contains("::clamp") {
            wrong.push(format!("{}: clamp as a function", name.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "`clamp` panics where rounding leaves the upper bound below the lower one; use `kinora::units::within`, or `.min(high).max(low)`:\n{}",
        wrong.join("\n")
    );
}
