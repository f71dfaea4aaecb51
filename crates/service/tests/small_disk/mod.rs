//! A disk with little room, where we may mount one.
#![allow(clippy::unwrap_used, dead_code, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Unmounted when dropped.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None`, said in a line, where we may not mount.
    pub fn mount(at: &Path, size: &str) -> Option<SmallDisk> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(at)
            .output();
        if mounted.is_ok_and(|done| done.status.success()) {
            return Some(SmallDisk(at.to_owned()));
        }
        println!("skipped: no small disk can be mounted here");
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // What is still open there is let go later.
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}
