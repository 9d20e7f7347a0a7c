//! What the manifest promises: the version of Rust that is needed, and what the features leave out.

use std::process::Command;

use serde_json::Value as Json;

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

/// The platform of this machine, as cargo calls it.
fn host() -> String {
    let said = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let said = String::from_utf8(said.stdout).expect("it is text");
    said.lines().find_map(|line| line.strip_prefix("host: ")).expect("it names its host").to_owned()
}

fn version(text: &str) -> Vec<u64> {
    let mut parts: Vec<u64> = text.split('.').filter_map(|part| part.parse().ok()).collect();
    parts.resize(3, 0);
    parts
}

#[test]
fn the_rust_version_is_enough_for_the_locked_dependencies() {
    let platform = host();
    let metadata = cargo(&["metadata", "--locked", "--format-version", "1", "--filter-platform", &platform]);
    let metadata: Json = serde_json::from_str(&metadata).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    let used = metadata["resolve"]["nodes"].as_array().expect("there is a graph");
    let used: Vec<&Json> = used.iter().map(|node| &node["id"]).collect();
    let asked = |package: &Json| package["rust_version"].as_str().map(version);
    let own = packages.iter().find(|p| p["name"] == env!("CARGO_PKG_NAME")).and_then(asked).expect("ours has one");
    assert!(packages.len() > 50, "{} packages", packages.len());
    for package in packages.iter().filter(|p| used.contains(&&p["id"])) {
        let Some(asked) = asked(package) else { continue };
        assert!(asked <= own, "{} asks for {asked:?}, and Cargo.toml says {own:?}", package["name"]);
    }
}

#[test]
fn the_library_alone_depends_on_no_machine_code_and_no_command_line() {
    let tree = |more: &[&str]| {
        let args = ["tree", "--locked", "--edges", "normal", "--prefix", "none"];
        cargo(&[&args[..], more].concat())
    };
    let heavy = |tree: &str| {
        let heavy =
            |line: &&str| ["cranelift", "clap", "indicatif", "textwrap"].iter().any(|name| line.starts_with(name));
        tree.lines().filter(heavy).map(str::to_owned).collect::<Vec<String>>()
    };
    assert!(!heavy(&tree(&[])).is_empty());
    assert_eq!(heavy(&tree(&["--no-default-features"])), Vec::<String>::new());
    assert!(!tree(&["--no-default-features", "--features", "cli"]).contains("cranelift"));
}
