//! A newcomer's first minutes: no arguments, a folder to start from, completions, the manual page.

use std::fs;
use std::path::Path;

use super::{code, kinora, stderr};

#[test]
fn without_arguments_three_things_to_do_are_shown() {
    let output = kinora(Path::new("."), &[]);
    assert_eq!(code(&output), 2);
    for line in [
        "kinora short",
        "kinora init",
        "kinora serve",
        "kinora --help",
    ] {
        assert!(stderr(&output).contains(line), "{}", stderr(&output));
    }
}

#[test]
fn a_new_folder_holds_a_film_that_can_be_made() {
    let temp = tempfile::tempdir().unwrap();
    let output = kinora(temp.path(), &["init", "film"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let next = "kinora render film/timeline.json -o film.mp4";
    assert!(stderr(&output).contains(next), "{}", stderr(&output));

    let folder = temp.path().join("film");
    let still = [
        "still",
        "timeline.json",
        "--at",
        "5",
        "-o",
        "still.png",
        "--backend",
        "cpu",
    ];
    let output = kinora(&folder, &still);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let still = fs::read(folder.join("still.png")).unwrap();
    assert!(still.len() > 100_000, "{} bytes", still.len());

    // A folder that is there is not touched.
    let before = fs::read(folder.join("timeline.json")).unwrap();
    let output = kinora(temp.path(), &["init", "film"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("already"), "{}", stderr(&output));
    assert_eq!(fs::read(folder.join("timeline.json")).unwrap(), before);
    let names = fs::read_dir(temp.path()).unwrap().flatten();
    assert_eq!(names.count(), 1, "nothing unfinished is left");
}

#[test]
fn completions_and_the_manual_name_every_command() {
    for (args, wanted) in [
        (&["completions", "bash"][..], "storyboard"),
        (&["completions", "zsh"], "storyboard"),
        (&["completions", "fish"], "storyboard"),
        (&["man"], ".SH \"KINORA STORYBOARD\""),
    ] {
        let output = kinora(Path::new("."), args);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(wanted), "{args:?}: {text}");
    }
}
