//! The layout's rules as tests: who may import whom, sizes, first lines, names, licenses of assets, words that must not be written.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod code;
mod rings;

use std::fs;
use std::path::{Path, PathBuf};

use code::{code, crate_paths};

/// What each room may name of the rest of the crate, as paths below `crate::`: arrows point down this list.
const IMPORTS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("foreign", &[]),
    ("error", &["units"]),
    ("cancel", &["error"]),
    ("caught", &["error"]),
    ("opus", &["foreign"]),
    ("bitstream", &[]),
    ("frame", &["units", "error"]),
    ("facts", &["units"]),
    ("scene", &["units"]),
    ("timeline", &["units", "error"]),
    ("text", &["units", "error", "scene"]),
    (
        "plan",
        &[
            "timeline", "text", "scene", "facts", "units", "error", "caught",
        ],
    ),
    (
        "media",
        &[
            "text::BUNDLED",
            "scene",
            "facts",
            "bitstream",
            "frame",
            "units",
            "error",
            "foreign",
            "caught",
        ],
    ),
    (
        "compose",
        &["media::Picture", "text", "scene", "frame", "units", "error"],
    ),
    (
        "audio",
        &[
            "media",
            "scene::mix",
            "facts",
            "frame",
            "units",
            "error",
            "cancel",
            "opus",
        ],
    ),
    (
        "encode",
        &[
            "scene::draw",
            "bitstream",
            "frame",
            "units",
            "error",
            "foreign",
            "opus",
        ],
    ),
    ("mux", &["bitstream", "frame", "units", "error"]),
];

/// What puts the rooms together: may name all, and is named by no room.
const WHOLE: &[&str] = &[
    "lib",
    "engine",
    "job",
    "lint",
    "named",
    "options",
    "outfile",
    "preflight",
    "probe",
    "render",
    "soundtrack",
    "spoken",
    "stream",
    "subtitles",
];

/// Crates that only one place may know.
const KNOWN_ONLY_BY: &[(&str, &[&str])] = &[
    ("wgpu", &["src/compose/gpu", "src/engine.rs"]),
    ("rav1e", &["src/encode"]),
    ("openh264", &["src/encode"]),
    ("rustix", &["src/encode/x264"]),
    (
        "libloading",
        &["src/encode", "src/foreign.rs", "src/media", "src/opus"],
    ),
    ("mp4_atom", &["src/mux", "src/media/still/avif"]),
    ("jpeg_decoder", &["src/media/still/jpeg"]),
    ("jxl_oxide", &["src/media/still"]),
    ("resvg", &["src/media/still"]),
    ("tiff", &["src/media/still"]),
    ("symphonia", &["src/audio"]),
    ("ropus", &["src/opus"]),
    ("syom", &["src/audio", "src/encode"]),
    ("rubato", &["src/audio"]),
    ("rusty_h264_decoder", &["src/media/clip"]),
    ("rusty_vp9", &["src/media/clip"]),
    ("moxcms", &["src/media"]),
    ("fast_image_resize", &["src/media"]),
    ("fontdue", &["src/text"]),
    ("parley", &["src/text"]),
    ("swash", &["src/text"]),
];

const MAX_LINES: usize = 500;

/// Pure tables may be longer.
const LONG_TABLES: &[&str] = &[];

const BANNED_NAMES: &[&str] = &[
    "utils", "util", "helpers", "helper", "common", "manager", "misc",
];

/// Where the names of transitions, motions and styles are written down, and the document's own defaults.
const NAME_TABLES: &[&str] = &[
    "src/plan/transitions",
    "src/plan/motion",
    "src/plan/styles",
    "src/plan/captions",
    "src/timeline",
    "crates/studio/src/request",
    "crates/studio/src/stages/layout.rs",
    "crates/cli/src/studio/short.rs",
    // A keyword of JSON Schema.
    "crates/service/src/openapi.rs",
    // Styles of pictures, which share names with styles of captions.
    "crates/illustrator/src/styles.rs",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Files of the checkout below `folder` with one of the extensions, as paths relative to the root; build outputs and hidden folders left out.
fn files(folder: &str, extensions: &[&str]) -> Vec<String> {
    fn walk(path: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(path) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let hidden = name.to_string_lossy().starts_with('.') && name != ".ci";
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden && name != "target" => {
                    walk(&entry.path(), found)
                }
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    let mut names: Vec<String> = found
        .iter()
        .filter(|path| {
            extensions.is_empty()
                || path
                    .extension()
                    .is_some_and(|e| extensions.iter().any(|wanted| e == *wanted))
        })
        .map(|path| {
            path.strip_prefix(root())
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn rust_files() -> Vec<String> {
    let folders = ["src", "crates", "tests", "benches", "examples", "fuzz"];
    folders
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
        .collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// `src/plan/draw.rs` → `plan`.
fn room_of(name: &str) -> &str {
    let inner = name.strip_prefix("src/").unwrap();
    inner.split('/').next().unwrap().trim_end_matches(".rs")
}

#[test]
fn rooms_import_only_what_the_table_allows() {
    let rooms: Vec<&str> = IMPORTS.iter().map(|(room, _)| *room).collect();
    let mut wrong = Vec::new();
    for name in files("src", &["rs"]) {
        let room = room_of(&name);
        let Some((_, allowed)) = IMPORTS.iter().find(|(known, _)| *known == room) else {
            assert!(
                WHOLE.contains(&room),
                "{name}: a room that the table does not know"
            );
            continue;
        };
        for path in crate_paths(&code(&name)) {
            let into = path.split("::").next().unwrap();
            let may = allowed
                .iter()
                .any(|prefix| path == *prefix || path.starts_with(&format!("{prefix}::")));
            if (rooms.contains(&into) || WHOLE.contains(&into)) && into != room && !may {
                wrong.push(format!("{name}: crate::{path}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "not in the import table (tests/tidy/main.rs, ARCHITECTURE.md):\n{}",
        wrong.join("\n")
    );
}

#[test]
fn only_one_place_knows_each_codec_container_and_device() {
    let mut wrong = Vec::new();
    for name in files("src", &["rs"]) {
        let code = code(&name);
        for (known, places) in KNOWN_ONLY_BY {
            let is_there = places.iter().any(|place| name.starts_with(place));
            if !is_there && code.contains(&format!("{known}::")) {
                wrong.push(format!(
                    "{name} names {known}, which only {places:?} may know"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for name in rust_files() {
        let text = read(&name);
        let n_lines = text.lines().count();
        if n_lines > MAX_LINES && !LONG_TABLES.contains(&name.as_str()) {
            wrong.push(format!("{name}: {n_lines} lines, {MAX_LINES} are allowed"));
        }
        if !text.starts_with("//! ") {
            wrong.push(format!("{name}: does not open with //! and what it is"));
        }
    }
    for name in files("shaders", &["wgsl"]) {
        if !read(&name).starts_with("//") {
            wrong.push(format!(
                "{name}: does not open with a comment that says what it is"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_or_folder_has_a_name_that_says_nothing() {
    let wrong: Vec<String> = rust_files()
        .into_iter()
        .filter(|name| {
            name.split('/')
                .any(|part| BANNED_NAMES.contains(&part.trim_end_matches(".rs")))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names of the built-in looks: the styles' files, and `name: "..."` in the tables.
fn look_names() -> Vec<String> {
    let styles = files("assets/styles", &["json"]);
    let mut names: Vec<String> = styles
        .iter()
        .map(|path| {
            Path::new(path)
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let tables = ["src/plan/transitions/table.rs", "src/plan/motion.rs"];
    for table in tables.map(|name| root().join(name)) {
        let text = fs::read_to_string(table).unwrap();
        names.extend(
            text.split("name: \"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
                .map(str::to_owned),
        );
    }
    names
}

#[test]
fn names_of_looks_are_written_only_in_their_tables() {
    let names = look_names();
    let mut wrong = Vec::new();
    let sources = files("src", &["rs"]).into_iter().chain(
        files("crates", &["rs"])
            .into_iter()
            .filter(|name| name.contains("/src/")),
    );
    for name in sources.filter(|name| !NAME_TABLES.iter().any(|table| name.starts_with(table))) {
        let code = code(&name);
        wrong.extend(
            names
                .iter()
                .filter(|look| code.contains(&format!("\"{look}\"")))
                // There it is a feature of a processor.
                .filter(|look| *look != "neon" || !name.starts_with("src/compose"))
                .map(|look| format!("{name}: \"{look}\"")),
        );
    }
    assert!(
        wrong.is_empty(),
        "names of looks outside their tables:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_asset_has_its_origin_and_license_listed() {
    let list = read("assets/README.md");
    let text_files = ["rs", "json", "md", "txt"];
    let wrong: Vec<String> = files("assets", &[])
        .into_iter()
        .chain(files("examples", &[]))
        .filter(|name| {
            !text_files.contains(
                &Path::new(name)
                    .extension()
                    .and_then(|e| e.to_str())
                    .unwrap_or_default(),
            )
        })
        .filter(|name| !list.contains(Path::new(name).file_name().unwrap().to_str().unwrap()))
        .collect();
    assert!(
        wrong.is_empty(),
        "not in assets/README.md:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn nothing_is_written_that_must_not_be() {
    // In pieces, so that this file passes its own test.
    let hosts = [
        concat!("crates", ".io"),
        concat!("npmjs", ".org"),
        concat!("pypi", ".org"),
        concat!("pythonhosted", ".org"),
    ];
    let machine = concat!("/wo", "rk/");
    let open = [concat!("TO", "DO"), concat!("FIX", "ME")];
    let mut wrong = Vec::new();
    for name in files("", &["rs", "wgsl", "toml", "md", "json", "sh", "yml"])
        .into_iter()
        .chain(["kinora".into(), "check".into(), ".ci/run".into()])
    {
        for (i, line) in read(&name).lines().enumerate() {
            let place = format!("{name}:{}", i + 1);
            if let Some(host) = hosts.iter().find(|host| line.contains(*host)) {
                wrong.push(format!("{place}: names the package registry's host {host}"));
            }
            if line.contains(machine) {
                wrong.push(format!("{place}: a path of one machine"));
            }
            if open.iter().any(|mark| {
                line.contains(&format!("{mark}:"))
                    || (line.contains(mark)
                        && line.trim_start().starts_with("//")
                        && !line.contains('#'))
            }) {
                wrong.push(format!("{place}: an open end without an issue"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
