use std::fs::OpenOptions;
use std::path::Path;

use tempfile::TempDir;

use super::lock::Lock;
use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The names in a folder.
fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn another_file_is_written_over_only_if_that_is_said() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    write(&path, "one", Policy::New).unwrap();
    assert!(matches!(write(&path, "two", Policy::New), Err(Refusal::There(_))));
    assert_eq!(read(&path), "one");
    write(&path, "two", Policy::Forced).unwrap();
    assert_eq!(read(&path), "two");
    for named in [folder.path(), &folder.path().join("new/"), Path::new("..")] {
        assert!(matches!(write(named, "x", Policy::Forced), Err(Refusal::Folder(_))));
    }
    assert!(matches!(write(&path.join("b"), "x", Policy::Forced), Err(Refusal::System { .. })));
    assert!(write(&folder.path().join("gone/b"), "x", Policy::New).is_err());
    assert_eq!(names(&folder), ["a.txt"]);
}

#[test]
fn a_file_that_comes_up_meanwhile_is_not_written_over() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    let mut held = Place::new(&path, Policy::New).unwrap().hold().unwrap();
    std::fs::write(&path, "other").unwrap();
    assert!(matches!(held.write("one"), Err(Refusal::There(_))));
    let mut forced = Place::new(&folder.path().join("b.txt"), Policy::Forced).unwrap().hold().unwrap();
    std::fs::write(folder.path().join("b.txt"), "other").unwrap();
    assert!(matches!(forced.write("one"), Err(Refusal::There(_))));
    assert_eq!(read(&path), "other");
    assert_eq!(names(&folder), ["a.txt", "b.txt"]);
}

#[test]
fn a_held_file_is_written_by_nobody_else() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    let mut held = Place::new(&path, Policy::New).unwrap().hold().unwrap();
    for text in ["one", "two", "three"] {
        held.write(text).unwrap();
        for policy in [Policy::Own, Policy::Forced] {
            assert!(matches!(write(&path, "other", policy), Err(Refusal::Busy(_))));
        }
        assert!(matches!(replace(&path, text, "other"), Err(Refusal::Busy(_))));
        assert_eq!(read(&path), text);
    }
    drop(held);
    replace(&path, "three", "four").unwrap();
    assert_eq!(read(&path), "four");
    assert_eq!(names(&folder), ["a.txt"]);
}

#[test]
fn a_file_that_others_change_is_left_to_them() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    assert!(matches!(replace(&path, "", "x"), Err(Refusal::System { .. })));
    let mut held = Place::new(&path, Policy::New).unwrap().hold().unwrap();
    held.write("one").unwrap();
    std::fs::write(&path, "by an editor").unwrap();
    assert!(matches!(held.write("two"), Err(Refusal::Changed(_))));
    std::fs::remove_file(&path).unwrap();
    held.write("two").unwrap();
    std::fs::write(folder.path().join("b.txt"), "another").unwrap();
    std::fs::rename(folder.path().join("b.txt"), &path).unwrap();
    assert!(matches!(held.write("three"), Err(Refusal::Changed(_))));
    assert_eq!(read(&path), "another");
    assert!(matches!(replace(&path, "as it was", "x"), Err(Refusal::Changed(_))));
    std::fs::write(&path, "\u{feff}marked").unwrap();
    replace(&path, "marked", "anew").unwrap();
    assert_eq!(read(&path), "\u{feff}anew");
}

#[test]
fn two_files_begun_with_one_name_are_two() {
    let folder = folder();
    let path = folder.path().join("g.record");
    let begun: Vec<Held> = std::thread::scope(|s| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let path = &path;
                s.spawn(move || begin(path, &format!("game {n}")).unwrap())
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let mut texts: Vec<String> = begun.iter().map(|h| read(h.path())).collect();
    texts.sort();
    assert_eq!(texts, (0..8).map(|n| format!("game {n}")).collect::<Vec<_>>());
    assert_eq!(names(&folder).len(), 8);
    assert!(names(&folder).contains(&String::from("g-8.record")));
    assert_eq!(numbered(Path::new("a/x"), 3), Path::new("a/x-3"));
}

#[test]
fn what_a_killed_process_left_is_removed_and_nothing_else() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let (dead, alive) = (at("g.record.7.0.lawspeaker.tmp"), at("g.record.8.0.lawspeaker.tmp"));
    for file in [&dead, &alive, &at("g.record.7.tmp"), &at("g.record")] {
        std::fs::write(file, "half").unwrap();
    }
    let held = OpenOptions::new().write(true).open(&alive).unwrap();
    assert_eq!(Lock::of(&held), Lock::Ours);
    tidy(&at("new.record"));
    assert_eq!(names(&folder), ["g.record", "g.record.7.tmp", "g.record.8.0.lawspeaker.tmp"]);
    // Once for each folder in a process.
    std::fs::write(&dead, "half").unwrap();
    tidy(&at("new.record"));
    assert!(dead.exists());
}

#[test]
fn a_growing_file_has_one_writer() {
    let folder = folder();
    let path = folder.path().join("a.mutants");
    let first = grow(&path).unwrap();
    assert!(matches!(grow(&path), Err(Refusal::Busy(_))));
    drop(first);
    std::fs::write(&path, "kept").unwrap();
    grow(&path).unwrap();
    assert_eq!(read(&path), "kept");
}

#[cfg(unix)]
mod unix {
    use std::io::Read as _;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn links_are_followed_and_modes_stay() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("far")).unwrap();
        std::fs::write(at("far/real"), "one").unwrap();
        std::fs::set_permissions(at("far/real"), PermissionsExt::from_mode(0o600)).unwrap();
        symlink("far/real", at("middle")).unwrap();
        symlink(at("middle"), at("link")).unwrap();
        assert!(matches!(write(&at("link"), "two", Policy::New), Err(Refusal::There(_))));
        write(&at("link"), "two", Policy::Forced).unwrap();
        assert_eq!((read(&at("far/real")).as_str(), mode(&at("far/real"))), ("two", 0o600));
        assert!(at("link").is_symlink() && at("middle").is_symlink());
        symlink("far/new", at("dangling")).unwrap();
        write(&at("dangling"), "three", Policy::New).unwrap();
        assert_eq!(read(&at("far/new")), "three");
        assert!(at("dangling").is_symlink());
        symlink("round", at("round")).unwrap();
        assert!(matches!(write(&at("round"), "x", Policy::Forced), Err(Refusal::System { .. })));
        std::fs::write(at("plain"), "").unwrap();
        write(&at("other"), "", Policy::New).unwrap();
        assert_eq!(mode(&at("other")), mode(&at("plain")));
        assert_eq!(std::fs::read_dir(at("far")).unwrap().count(), 2);
    }

    #[test]
    fn a_read_only_file_stays() {
        let folder = folder();
        let path = folder.path().join("a");
        std::fs::write(&path, "one").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
        for policy in [Policy::Own, Policy::Forced] {
            assert!(matches!(write(&path, "two", policy), Err(Refusal::ReadOnly(_))));
        }
        assert_eq!(read(&path), "one");
    }

    #[test]
    fn pipes_are_written_to() {
        let folder = folder();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        symlink("pipe", folder.path().join("link")).unwrap();
        let node = path.metadata().unwrap().ino();
        for (name, policy) in [("pipe", Policy::New), ("link", Policy::Own), ("pipe", Policy::Forced)] {
            let reader = std::thread::spawn({
                let path = path.clone();
                move || std::fs::read_to_string(path).unwrap()
            });
            write(&folder.path().join(name), "text", policy).unwrap();
            assert_eq!(reader.join().unwrap(), "text");
        }
        assert!(matches!(replace(&path, "", "x"), Err(Refusal::System { .. })));
        let there = path.metadata().unwrap();
        assert!(there.file_type().is_fifo() && there.ino() == node);
        assert_eq!(names(&folder), ["link", "pipe"]);
    }

    /// Such a name means a file that is open already: replacing it would leave the writer with the old one.
    #[test]
    fn open_files_are_written_to() {
        use std::os::fd::AsRawFd as _;
        let folder = folder();
        let path = folder.path().join("out");
        let mut open = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        let named = format!("/dev/fd/{}", open.as_raw_fd());
        if !Path::new(&named).exists() {
            return;
        }
        write(Path::new(&named), "text", Policy::New).unwrap();
        let mut text = String::new();
        open.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        assert_eq!(names(&folder), ["out"]);
    }
}
