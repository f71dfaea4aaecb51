//! `kinora admin`: works on the database that it is shown, and makes none.

use super::{code, kinora, stderr};

#[test]
fn options_may_stand_behind_and_a_folder_without_a_database_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        ["admin", "accounts", "--data", "state"],
        ["admin", "--data", "state", "accounts"],
    ] {
        let output = kinora(folder.path(), &args);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("--data DIR"),
            "{}",
            stderr(&output)
        );
        assert!(!folder.path().join("state").exists());
    }
}
