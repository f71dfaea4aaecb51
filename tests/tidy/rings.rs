//! No ring of imports: between the rooms of a crate (its top-level modules), and between folders that lie side by side in it.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{code, paths_after};
use crate::files;

/// One crate's modules by path, as `["plan", "captions"]`, with the code of each.
type Modules = BTreeMap<Vec<String>, String>;

/// Who imports whom among modules that lie side by side, with a file as the proof.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

fn modules_of(source: &str) -> Modules {
    let path_of = |name: &str| {
        let inner = name.strip_prefix(source).unwrap().trim_matches('/');
        let mut path: Vec<String> = inner
            .trim_end_matches(".rs")
            .split('/')
            .map(str::to_owned)
            .collect();
        if matches!(
            path.last().map(String::as_str),
            Some("mod" | "lib" | "main")
        ) {
            path.pop();
        }
        path
    };
    files(source, &["rs"])
        .into_iter()
        .map(|name| (path_of(&name), code(&name)))
        .filter(|(path, _)| !path.iter().any(|part| part == "tests"))
        .collect()
}

/// Returns the modules that a module's code names: the longest known beginning of each path.
fn named_by(at: &[String], code: &str, modules: &Modules) -> Vec<Vec<String>> {
    let mut starts = vec![("crate::".to_owned(), Vec::new())];
    for up in 1..=at.len() {
        starts.push(("super::".repeat(up), at[..at.len() - up].to_vec()));
    }
    let mut named = Vec::new();
    for (start, from) in starts {
        for path in paths_after(code, &start) {
            let mut whole = from.clone();
            whole.extend(path.split("::").map(str::to_owned));
            while !modules.contains_key(&whole) && whole.pop().is_some() {}
            named.push(whole);
        }
    }
    named
}

/// Returns the imports between modules that lie side by side in `folder`; below the top only those between folders.
fn imports_in(folder: &[String], modules: &Modules) -> Imports {
    let is_folder = |path: &[String]| {
        modules
            .keys()
            .any(|key| key.len() > path.len() && key.starts_with(path))
    };
    let mut imports = Imports::new();
    for (at, code) in modules {
        for into in named_by(at, code, modules) {
            let n = folder.len();
            let are_beside = at.len() > n
                && into.len() > n
                && at.starts_with(folder)
                && into.starts_with(folder)
                && at[n] != into[n];
            if are_beside && (n == 0 || (is_folder(&at[..=n]) && is_folder(&into[..=n]))) {
                let proof = format!("{} names {}", at.join("/"), into.join("::"));
                imports
                    .entry(at[n].clone())
                    .or_default()
                    .entry(into[n].clone())
                    .or_insert(proof);
            }
        }
    }
    imports
}

/// Returns the imports on a way from `start` back to itself, if there is one.
fn ring_through(start: &str, imports: &Imports) -> Option<Vec<String>> {
    let mut ways: Vec<(String, Vec<String>)> = vec![(start.to_owned(), Vec::new())];
    let mut seen = BTreeSet::new();
    while let Some((at, way)) = ways.pop() {
        for (into, proof) in imports.get(&at).into_iter().flatten() {
            let mut way = way.clone();
            way.push(proof.clone());
            if into == start {
                return Some(way);
            }
            if seen.insert(into.clone()) {
                ways.push((into.clone(), way));
            }
        }
    }
    None
}

fn rings_of(modules: &Modules) -> Vec<String> {
    let folders: BTreeSet<&[String]> = modules
        .keys()
        .flat_map(|path| (0..path.len()).map(|n| &path[..n]))
        .collect();
    let mut rings = Vec::new();
    for folder in folders {
        let imports = imports_in(folder, modules);
        if let Some(ring) = imports.keys().find_map(|room| ring_through(room, &imports)) {
            rings.push(ring.join(", "));
        }
    }
    rings
}

#[test]
fn no_crate_has_a_ring_of_imports() {
    let mut sources: Vec<String> = files("crates", &["rs"])
        .iter()
        .filter_map(|name| {
            name.split_once("/src/")
                .map(|(krate, _)| format!("{krate}/src"))
        })
        .collect();
    sources.push("src".to_owned());
    sources.sort();
    sources.dedup();
    assert!(sources.len() > 5, "{sources:?}");
    let mut wrong = Vec::new();
    for source in sources {
        let rings = rings_of(&modules_of(&source));
        wrong.extend(rings.into_iter().map(|ring| format!("{source}: {ring}")));
    }
    assert!(
        wrong.is_empty(),
        "these import each other in a ring; move what both need below them:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_ring_is_found() {
    let module = |path: &str, code: &str| {
        (
            path.split("::").map(str::to_owned).collect(),
            code.to_owned(),
        )
    };
    let mut modules: Modules = [
        module("plan", "use crate::text::Fonts;"),
        module("text", "use crate::scene::Glyph;"),
        module("scene", ""),
        module(
            "plan::words",
            "use super::pages::Page;\nuse super::super::scene::Layer;",
        ),
        module("plan::pages", ""),
    ]
    .into();
    assert_eq!(rings_of(&modules), Vec::<String>::new());
    modules.extend([module(
        "scene",
        "fn f() -> crate::plan::words::Word { g() }",
    )]);
    assert_eq!(rings_of(&modules).len(), 1);
}
