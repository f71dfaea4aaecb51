//! Assets in a folder: what is refused and how it is said.

use std::fs;
use std::io::{ErrorKind, Read};

use kinora::media::{Assets, FolderAssets};
use kinora::{Named, probe};

fn message(assets: &dyn Assets, name: &str) -> (ErrorKind, String) {
    let e = assets.open(name).err().unwrap();
    (e.kind(), e.to_string())
}

#[test]
fn messages_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("sub/beach.jpg"), b"x").unwrap();
    let assets = FolderAssets::new(folder.path());
    let (kind, text) = message(&assets, "sub/beech.jpg");
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(
        text.contains(&*folder.path().file_name().unwrap().to_string_lossy()),
        "{text}"
    );
    assert_eq!(
        assets.closest("sub/beech.jpg").as_deref(),
        Some("sub/beach.jpg")
    );
    assert_eq!(assets.closest("sub/quite-other.png"), None);
    assert_eq!(message(&assets, "sub").0, ErrorKind::IsADirectory);
    assert_eq!(message(&assets, "").0, ErrorKind::InvalidInput);
    assert_eq!(message(&assets, "a\0b").0, ErrorKind::InvalidInput);
    let named = Named {
        pictures: vec![("sub".to_owned(), "intro.picture".to_owned())],
        ..Named::default()
    };
    let (_, problems) = probe(&named, &assets);
    assert_eq!(problems[0].code, "unreadable");
    assert!(
        problems[0]
            .to_string()
            .contains("intro.picture: `sub` cannot be opened: it is a folder")
    );
}

#[test]
fn a_user_may_leave_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("a"), b"inside").unwrap();
    let assets = FolderAssets::new(folder.path().join("sub"));
    let absolute = folder.path().join("a").display().to_string();
    for name in ["../a", &absolute] {
        let mut text = String::new();
        assets
            .open(name)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "inside");
    }
}

#[test]
fn the_confined_folder_is_never_left() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::write(folder.path().join("secret"), b"secret").unwrap();
    fs::write(root.join("sub/a"), b"good").unwrap();
    let assets = FolderAssets::confined(&root);
    let mut names = vec![
        folder.path().join("secret").display().to_string(),
        root.join("sub/a").display().to_string(),
        "../secret".to_owned(),
        "sub/../../secret".to_owned(),
        "..".to_owned(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("sub/a"), root.join("good")).unwrap();
        names.extend(["out/secret".to_owned(), "link".to_owned()]);
        assert!(assets.open("good").is_ok());
    }
    for name in names {
        assert_eq!(
            message(&assets, &name).0,
            ErrorKind::PermissionDenied,
            "{name}"
        );
        assert_eq!(assets.closest(&format!("{name}/secre")), None, "{name}");
    }
    assert!(assets.open("sub/a").is_ok());
    assert!(assets.open("./sub/./a").is_ok());
    let (kind, text) = message(&assets, "sub/b");
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(!text.contains(&*root.to_string_lossy()), "{text}");
    assert_eq!(assets.closest("sub/A").as_deref(), Some("sub/a"));
}

#[cfg(unix)]
#[test]
fn devices_are_no_assets() {
    let assets = FolderAssets::new("/");
    assert_eq!(message(&assets, "dev/zero").0, ErrorKind::InvalidInput);
}
