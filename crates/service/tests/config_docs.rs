//! `docs/service.md` names every key of the configuration with its default, and every variable that the programs read.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kinora_service::config::Config;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn page() -> String {
    std::fs::read_to_string(root("docs/service.md")).unwrap()
}

fn read(text: &str) -> Result<Config, String> {
    Config::read(text, Path::new("kinora.toml"), "data")
}

/// The keys of a table, as the reader lists them to whoever writes one that is not there.
fn keys(table: &str) -> BTreeSet<String> {
    let told = read(&format!("[{table}]\nno_such_key = 1\n")).unwrap_err();
    let (_, known) = told.split_once("expected ").unwrap();
    let known = known.split('`').skip(1).step_by(2);
    known.map(str::to_owned).collect()
}

/// The rows of a table in the page: key and default.
fn rows(page: &str, table: &str) -> Vec<(String, String)> {
    let heading = format!("### `[{table}]`\n");
    let (_, rest) = page
        .split_once(&heading)
        .unwrap_or_else(|| panic!("no heading of [{table}]"));
    let section = rest.split("\n#").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim()).collect();
        let plain = |cell: &str| cell.trim_matches('`').to_owned();
        (plain(cells[1]), plain(cells[2]))
    })
    .collect()
}

#[test]
fn every_key_stands_there_with_its_default() {
    let page = page();
    let mut defaults = String::new();
    for table in ["server", "worker", "video", "media", "credits"] {
        let rows = rows(&page, table);
        let named: BTreeSet<String> = rows.iter().map(|(key, _)| key.clone()).collect();
        assert_eq!(named, keys(table), "[{table}]");
        defaults += &format!("[{table}]\n");
        for (key, value) in rows.iter().filter(|(_, value)| value != "none") {
            defaults += &format!("{key} = {value}\n");
        }
    }
    let told = read(&defaults).unwrap_or_else(|why| panic!("{why}\n{defaults}"));
    let due = read("").unwrap();
    assert_eq!(format!("{:#?}", told), format!("{:#?}", due));
    for key in ["database", "storage"] {
        assert!(page.contains(&format!("\n| `{key}` | ")), "{key}");
    }
}

#[test]
fn every_variable_stands_there() {
    let page = page();
    let mut names = BTreeSet::new();
    for folder in [
        "src",
        "crates/service/src",
        "crates/studio/src",
        "crates/cli/src",
        "crates/music/src",
    ] {
        variables(&root(folder), &mut names);
    }
    assert!(names.contains("KINORA_LOG"), "{names:?}");
    for name in names {
        assert!(page.contains(&format!("| `{name}` | ")), "{name}");
    }
}

/// Variables of our own that the sources name, but for those of tests and of examples in texts.
fn variables(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            variables(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for piece in text.split("\"KINORA_").skip(1) {
                let name = piece.split('"').next().unwrap();
                let is_name = name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
                let is_for_tests = ["TEST_", "CRASH_", "LLMOCK", "PREVIEW_"]
                    .iter()
                    .any(|start| name.starts_with(start));
                if is_name && !is_for_tests {
                    names.insert(format!("KINORA_{name}"));
                }
            }
        }
    }
}
