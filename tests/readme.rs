//! The commands of README.md, run as they stand there.

use std::process::Command;

use crate::common::files::{copy, root};
use crate::common::session;

const README: &str = include_str!("../README.md");

/// A command, what is typed into it, and the exit code it must have.
struct Line {
    words: Vec<String>,
    input: String,
    code: i32,
    text: String,
}

/// The lines of the blocks fenced as `sh`. After the fence, `skip` leaves a block out and `input=WORD` types a word; `# exit N` after a command names its exit code.
/// A line that ends with a backslash goes on in the next.
fn lines() -> Vec<Line> {
    let mut found = Vec::new();
    let page = README.replace("\\\n", "");
    let mut fence: Option<&str> = None;
    for line in page.lines() {
        match (fence, line.strip_prefix("```")) {
            (None, Some(info)) => fence = Some(info),
            (Some(_), Some(_)) => fence = None,
            (Some(info), None) if info.starts_with("sh") && !info.contains("skip") && !line.is_empty() => {
                let (command, note) = line.split_once(" # ").unwrap_or((line, ""));
                let code = note.trim().strip_prefix("exit ").map_or(0, |n| n[..1].parse().unwrap());
                let input = info.split_once("input=").map_or("", |(_, word)| word);
                let input = format!("{input}\n");
                found.push(Line { words: words(command), input, code, text: line.to_owned() });
            }
            _ => {}
        }
    }
    found
}

fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

#[test]
fn every_command_does_what_the_page_says() {
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("rules"), &dir.path().join("rules"));
    let all = lines();
    assert!(all.len() >= 12, "{}", all.len());
    for line in all {
        let words: Vec<&str> = line.words.iter().map(String::as_str).collect();
        let args = match words.as_slice() {
            ["cargo", "run", "--release", "--", args @ ..] | ["lawspeaker", args @ ..] => args,
            _ => panic!("not a command of ours: {}", line.text),
        };
        let output = session::typed(session::program(dir.path(), args), &line.input);
        assert_eq!(output.status.code(), Some(line.code), "{} said:\n{}", line.text, session::both(&output));
    }
    // Whoever does so in a checkout finds nothing new in `git status`.
    std::fs::copy(root().join(".gitignore"), dir.path().join(".gitignore")).unwrap();
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(dir.path()).output();
    if git(&["init", "--quiet"]).is_ok_and(|done| done.status.success()) {
        let left: Vec<String> =
            std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        assert!(left.len() >= 4, "the commands leave files: {left:?}");
        let status = git(&["status", "--porcelain"]).unwrap();
        let status = String::from_utf8_lossy(&status.stdout).into_owned();
        let new: Vec<&str> = status.lines().filter(|l| !["?? .gitignore", "?? rules/"].contains(l)).collect();
        assert!(new.is_empty(), "{new:?}");
    }
}

#[test]
fn every_page_it_names_is_there() {
    for link in README.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
        assert!(root().join(link).exists(), "{link}");
    }
}
