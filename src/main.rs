//! The command line of Lawspeaker.
mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
