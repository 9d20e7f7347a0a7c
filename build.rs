//! The shipped games are inside the binary: a new file among them must rebuild it.
fn main() {
    println!("cargo::rerun-if-changed=rules");
}
