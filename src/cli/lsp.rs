//! `lsp`: the language server, over standard input and output.

use std::sync::mpsc::{self, Sender};
use std::thread;

use lawspeaker::language_server::{Done, Job, Notice, Server, capabilities};
use lawspeaker::library::Unusable;
use lsp_server::{Connection, Message, Notification, ProtocolError, Request, Response};
use serde_json::{Value as Json, json};

use super::{Answer, Run, Stop};

/// Answer an editor: the language server, over standard input and output.
///
/// The editor starts it. It reports what `check` and `test` report while you type, completes names and citations, shows
/// what a name is and the clauses of the rulebook behind it, finds and renames it in rules, cases and records, and lays
/// files out as `fmt` does.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, in the configuration of an editor:\n  lawspeaker lsp")]
pub struct Args {
    /// What editors say to name the way of transport; it is the only one.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// The stack of the thread that checks, in bytes: that of a main thread.
const STACK: usize = 8 << 20;

/// Runs the command.
pub fn run(args: &Args) -> Run {
    let _ = args.stdio;
    let (connection, threads) = Connection::stdio();
    let ended = serve(connection);
    // A client that is gone without a word leaves nothing to wait for.
    if ended? {
        threads.join()?;
    }
    Ok(Answer::Yes)
}

/// What the server waits for.
enum Event {
    /// The client says something.
    Said(Message),
    /// A part of some work is done.
    Done(Done),
    /// The client is gone.
    Gone,
}

/// Whether the client has taken its leave.
fn serve(connection: Connection) -> Result<bool, Stop> {
    let (id, introduction) = match connection.initialize_start() {
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
    let Connection { sender, receiver } = connection;
    let (tell, events) = mpsc::channel();
    let listener = tell.clone();
    thread::spawn(move || {
        for message in &receiver {
            if listener.send(Event::Said(message)).is_err() {
                return;
            }
        }
        let _ = listener.send(Event::Gone);
    });
    let mut server = Server::new(&introduction);
    // A closed channel is the end of the conversation.
    let send = |message: Message| sender.send(message).is_ok();
    let notify = |(method, params): Notice| send(Notification::new(method.to_owned(), params).into());
    let mut waiting: Option<Event> = None;
    while let Some(event) = waiting.take().or_else(|| events.recv().ok()) {
        let goes_on = match event {
            Event::Said(Message::Notification(note)) if note.method == "exit" => return Ok(true),
            Event::Said(Message::Notification(note)) => {
                server.notified(&note.method, &note.params);
                true
            }
            Event::Said(Message::Request(request)) => {
                send(answer(&mut server, request)) && server.aside().into_iter().all(&notify)
            }
            Event::Said(Message::Response(_)) => true,
            Event::Done(done) => server.done(done).into_iter().all(&notify),
            Event::Gone => return Ok(false),
        };
        if !goes_on {
            return Ok(false);
        }
        // What has been said meanwhile comes first: of several keys only the last is worth a check.
        waiting = events.try_recv().ok();
        if waiting.is_none()
            && let Some(job) = server.due()
        {
            start(job, tell.clone())?;
        }
    }
    Ok(false)
}

fn answer(server: &mut Server, request: Request) -> Message {
    let result = match request.method.as_str() {
        "shutdown" => Ok(Json::Null),
        method => server.request(method, &request.params),
    };
    let response = match result {
        Ok(result) => Response::new_ok(request.id, result),
        Err(refusal) => Response::new_err(request.id, refusal.code, refusal.message),
    };
    Message::Response(response)
}

/// Does some work on a thread of its own.
fn start(job: Job, tell: Sender<Event>) -> Result<(), Stop> {
    let work = move || {
        job.run(&mut |done| {
            let _ = tell.send(Event::Done(done));
        });
    };
    thread::Builder::new().stack_size(STACK).spawn(work)?;
    Ok(())
}

/// The other side does not speak the protocol, or is gone.
fn closed(error: &ProtocolError) -> Result<bool, Stop> {
    let help = "an editor starts this command; see docs/editor.md";
    Err(Unusable::new(format!("this is no conversation with an editor: {error}"), help).into())
}
