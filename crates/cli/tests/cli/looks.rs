//! The lists of looks: every name a timeline may use.

use std::path::Path;

use serde_json::json;

use super::{code, folder_with, kinora, lines, small, stderr};

#[test]
fn every_listed_name_is_one_that_a_timeline_may_use() {
    for (list, field) in [("transitions", "transition"), ("motions", "motion")] {
        let output = kinora(Path::new("."), &[list, "--json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let listed = lines(&output).pop().unwrap();
        let rows = listed[list].as_array().unwrap().clone();
        assert!(rows.len() >= 2, "{listed}");
        let mut timeline = small();
        let shots = timeline["shots"].as_array_mut().unwrap();
        for row in &rows {
            shots.push(json!({ "picture": "a.png", "duration": 1, field: row["name"] }));
            assert!(row["description"].is_string(), "{row}");
        }
        let folder = folder_with(&timeline);
        let still = [
            "still",
            "timeline.json",
            "--at",
            "0",
            "-o",
            "out.png",
            "--backend",
            "cpu",
        ];
        let output = kinora(folder.path(), &still);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
}

#[test]
fn lists_for_people_have_a_line_for_each_name() {
    for list in ["transitions", "captions", "motions"] {
        let json = kinora(Path::new("."), &[list, "--json"]);
        let names = lines(&json).pop().unwrap()[list].clone();
        let output = kinora(Path::new("."), &[list]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        for row in names.as_array().unwrap() {
            let name = row["name"].as_str().unwrap();
            let is_listed = text
                .lines()
                .any(|line| line.split_whitespace().next() == Some(name));
            assert!(is_listed, "{name} is not in:\n{text}");
        }
    }
}
