//! Every dependency's license satisfies the allow-list of `deny.toml`, on machines without cargo-deny too.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// The only packages under the GPL: programs that are started, never linked. `deny.toml` excepts them too.
const SEPARATE_PROGRAMS: [&str; 2] = ["kinora-espeak", "kinora-x264"];

/// The strings of `allow = [...]` in `deny.toml`.
fn allowed() -> BTreeSet<String> {
    let text = include_str!("../deny.toml");
    let list = text
        .split("allow = [")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Tokens of an SPDX expression; `/` is the old way to write `OR`.
fn tokens(expression: &str) -> Vec<String> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if *word == "WITH" {
            let exception = rest.next().unwrap();
            let license = tokens.last_mut().unwrap();
            *license = format!("{license} WITH {exception}");
        } else {
            tokens.push((*word).to_owned());
        }
    }
    tokens
}

/// Whether the allowed licenses satisfy an expression: alternatives of conjunctions of licenses or groups (SPDX 2.3, annex D).
fn any(tokens: &mut std::slice::Iter<'_, String>, allowed: &BTreeSet<String>) -> bool {
    let (mut good, mut all) = (false, true);
    while let Some(token) = tokens.next() {
        match token.as_str() {
            ")" => break,
            "OR" => {
                good |= all;
                all = true;
            }
            "AND" => {}
            "(" => all &= any(tokens, allowed),
            license => all &= allowed.contains(license),
        }
    }
    good | all
}

fn satisfies(expression: &str, allowed: &BTreeSet<String>) -> bool {
    any(&mut tokens(expression).iter(), allowed)
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let allowed: BTreeSet<String> = ["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]
        .map(str::to_owned)
        .into();
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "Apache-2.0/MIT",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(satisfies(good, &allowed), "{good}");
    }
    for bad in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "Apache-2.0",
        "(GPL-2.0 OR LGPL-2.1) AND MIT",
        "GPL-2.0 OR MIT AND GPL-3.0",
    ] {
        assert!(!satisfies(bad, &allowed), "{bad}");
    }
}

/// What cargo says of the workspace and all it depends on.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_dependency_has_an_allowed_license() {
    let metadata = metadata();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let used: BTreeSet<&str> = nodes
        .iter()
        .map(|node| node["id"].as_str().unwrap())
        .collect();
    let allowed = allowed();
    let mut refused = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let license = package["license"].as_str().unwrap_or("(none stated)");
        let is_separate = SEPARATE_PROGRAMS
            .iter()
            .any(|name| package["name"] == *name);
        let is_excepted = is_separate && package["source"].is_null();
        let is_used = used.contains(package["id"].as_str().unwrap());
        if is_used && !is_excepted && !satisfies(license, &allowed) {
            refused.push(format!(
                "{} {}: {license}",
                package["name"], package["version"]
            ));
        }
    }
    assert!(used.len() > 50, "only {} packages were seen", used.len());
    assert!(
        refused.is_empty(),
        "not in deny.toml's allow-list:\n{}",
        refused.join("\n")
    );
}

#[test]
fn nothing_links_the_programs_under_the_gpl() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    for name in SEPARATE_PROGRAMS {
        let program = packages.iter().find(|p| p["name"] == name).unwrap();
        assert_eq!(program["license"], "GPL-3.0-or-later", "{name}");
        let targets = program["targets"].as_array().unwrap();
        let mut kinds = targets.iter().map(|target| &target["kind"][0]);
        assert!(
            kinds.all(|kind| *kind == "bin" || *kind == "test"),
            "{name}"
        );
        for package in packages {
            let dependencies = package["dependencies"].as_array().unwrap();
            let linked = dependencies.iter().any(|d| d["name"] == name);
            assert!(!linked, "{} depends on {name}", package["name"]);
        }
    }
}

#[test]
fn nothing_but_the_programs_under_the_gpl_names_a_function_of_their_libraries() {
    let folders = [
        "src",
        "crates/cli/src",
        "crates/service/src",
        "crates/studio/src",
    ];
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut todo: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut n_files = 0;
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for mark in [
            "x264_encoder_",
            "x264_param_",
            "libx264.so",
            "libespeak-ng.so",
        ] {
            assert!(!text.contains(mark), "{} has {mark}", path.display());
        }
        n_files += 1;
    }
    assert!(n_files > 100, "only {n_files} files were seen");
}
