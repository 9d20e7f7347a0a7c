//! Decks of the Middle-earth CCG, and what is wrong with them.

use crate::common::files::root;

/// Good lists are legal, and each bad one breaks the clause that it is kept for.
#[test]
fn lists_are_judged() {
    let game = "rules/middle-earth-ccg";
    for (folder, code) in [("good", 0), ("bad", 1)] {
        let entries = std::fs::read_dir(root().join(game).join("decks").join(folder)).expect("the lists are there");
        let mut files: Vec<_> = entries.flatten().map(|e| e.path().to_string_lossy().into_owned()).collect();
        files.sort();
        assert!(files.len() >= 15, "{folder}: only {}", files.len());
        let args: Vec<&str> = ["validate", game].into_iter().chain(files.iter().map(String::as_str)).collect();
        let judged = crate::common::session::program(root(), &args).output().expect("it is run");
        let text = crate::common::session::checked(&judged, code, &args);
        let told = |line: &&str| !line.starts_with("  keeps") && !line.starts_with("     ");
        let told: Vec<&str> = text.lines().filter(told).collect();
        insta::assert_snapshot!(format!("{folder}-lists"), told.join("\n").replace(&*root().to_string_lossy(), ""));
    }
}
