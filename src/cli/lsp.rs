//! `lsp`: the language server, over standard input and output.

use lawspeaker::language_server::{Server, capabilities};
use lawspeaker::library::Unusable;
use lsp_server::{Connection, Message, Notification, ProtocolError, Response};
use serde_json::json;

use super::{Answer, Run, Stop};

/// Answer an editor: the language server, over standard input and output.
///
/// The editor starts it. It reports what `check` reports while you type, completes names and citations, shows what a
/// name is and the clauses of the rulebook behind it, finds and renames it in all files of the game, and lays files out
/// as `fmt` does.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, in the configuration of an editor:\n  lawspeaker lsp")]
pub struct Args {
    /// What editors say to name the way of transport; it is the only one.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Run {
    let _ = args.stdio;
    let (connection, threads) = Connection::stdio();
    let ended = serve(&connection);
    drop(connection);
    let joined = threads.join();
    ended?;
    joined?;
    Ok(Answer::Yes)
}

fn serve(connection: &Connection) -> Result<(), Stop> {
    let (id, _) = match connection.initialize_start() {
        Ok(started) => started,
        Err(error) => return closed(&error),
    };
    let hello = json!({
        "capabilities": capabilities(),
        "serverInfo": { "name": "lawspeaker", "version": env!("CARGO_PKG_VERSION") },
    });
    if let Err(error) = connection.initialize_finish(id, hello) {
        return closed(&error);
    }
    let mut server = Server::default();
    // A closed channel is the end of the conversation.
    let send = |message: Message| connection.sender.send(message).is_ok();
    for message in &connection.receiver {
        let goes_on = match message {
            Message::Request(request) => {
                match connection.handle_shutdown(&request) {
                    Ok(true) => return Ok(()),
                    Ok(false) => {}
                    Err(error) => return closed(&error),
                }
                let answer = match server.request(&request.method, &request.params) {
                    Ok(result) => Response::new_ok(request.id, result),
                    Err(refusal) => Response::new_err(request.id, refusal.code, refusal.message),
                };
                send(Message::Response(answer))
            }
            Message::Notification(note) if note.method == "exit" => return Ok(()),
            Message::Notification(note) => {
                let notices = server.notified(&note.method, &note.params).into_iter();
                notices.map(|(method, params)| Notification::new(method.to_owned(), params)).all(|n| send(n.into()))
            }
            Message::Response(_) => true,
        };
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// The other side does not speak the protocol, or is gone.
fn closed(error: &ProtocolError) -> Result<(), Stop> {
    let help = "an editor starts this command; see docs/editor.md";
    Err(Unusable::new(format!("this is no conversation with an editor: {error}"), help).into())
}
