//! `exceptions`: the general rule, the exceptions to it, and the exceptions to those.

use std::io::Write as _;
use std::sync::Arc;

use lawspeaker::conflict::{self, Answer, Finder, Pair};
use lawspeaker::exceptions::{self, Branch, Thing};
use lawspeaker::library::{self, Unusable};
use lawspeaker::model::{ClauseId, Config, Model};
use lawspeaker::report::plural;
use serde_json::{Value as Json, json};

use super::conflicts::pair_json;
use super::flags::{RulesArgs, TriesArgs};
use super::screen::{Screen, Style};
use super::session;
use super::{Answer as Exit, Run, Stop};

/// Show all clauses about one thing as a tree: the general rule, its exceptions, what beats and forbids it, and which of
/// the clauses could clash.
///
/// NAME is a definition, an action, a procedure, a step (`battle.cards`), what a seat brings, `ends` for the endings, or
/// the label of a clause. Without a name, everything that has exceptions is listed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker exceptions confrontation\n  \
    lawspeaker exceptions confrontation strength\n  lawspeaker exceptions confrontation \"four in the Shire\"\n  \
    lawspeaker exceptions confrontation retreat --lang ja\n\n\
    For each pair of clauses that could disagree, the last part says whether one is ranked above the other, why they \
    never clash, or where they do. `not decided` means that the search gave up; raise --tries.")]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// What the clauses are about.
    name: Option<String>,
    #[command(flatten)]
    tries: TriesArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let model = library::open(&args.game, args.rules.variants())?.model;
    let config = args.rules.config(&model)?;
    let lang = session::language(&model, args.rules.lang())?;
    match &args.name {
        None => list(&model, args, screen),
        Some(name) => one(&model, config, (name, &lang), args, screen),
    }
}

fn list(model: &Model, args: &Args, screen: &mut Screen) -> Run {
    let things = exceptions::list(model);
    if args.json {
        let all: Vec<Json> = things
            .iter()
            .map(|t| json!({ "name": t.name(model), "sort": t.sort(), "clauses": t.clauses(model).len() }))
            .collect();
        screen.json(&json!(all))?;
        return Ok(Exit::Yes);
    }
    let wide = things.iter().map(|t| t.name(model).len()).max().unwrap_or(0);
    for thing in &things {
        let name = format!("{:wide$}", thing.name(model));
        let name = screen.styled(Style::Bold, &name);
        writeln!(screen, "{name}  {:<10}  {}", thing.sort(), counts(model, *thing))?;
    }
    writeln!(screen, "{} with exceptions", plural(things.len(), "name"))?;
    Ok(Exit::Yes)
}

/// `1 general rule, 3 instead, 2 plus`.
fn counts(model: &Model, thing: Thing) -> String {
    let mut counted: Vec<(String, usize)> = Vec::new();
    let tree = exceptions::tree(model, thing, "");
    let mut todo: Vec<&Branch> = tree.branches.iter().rev().collect();
    while let Some(branch) = todo.pop() {
        todo.extend(branch.inside.iter().rev());
        let role = branch.role.trim_start_matches("but ");
        let role = if role.is_empty() { "clause" } else { role };
        if role.ends_with(" by") {
            continue;
        }
        match counted.iter_mut().find(|(r, _)| r == role) {
            Some((_, n)) => *n += 1,
            None => counted.push((role.to_owned(), 1)),
        }
    }
    let words = |(role, n): (String, usize)| if role == "clause" { plural(n, "clause") } else { format!("{n} {role}") };
    counted.into_iter().map(words).collect::<Vec<_>>().join(", ")
}

fn one(
    model: &Arc<Model>,
    config: Option<Config>,
    (name, lang): (&str, &str),
    args: &Args,
    screen: &mut Screen,
) -> Run {
    let thing = exceptions::find(model, name).map_err(|near| {
        let help = match near.as_slice() {
            [] => format!("`lawspeaker exceptions {}` lists what has exceptions", args.game),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        Unusable::new(format!("{} has nothing about {name}", args.game), help)
    })?;
    let finder = Finder::new(model, config, args.tries.tries);
    let pairs = finder.pairs().into_iter().filter(|p| thing.covers(model, p.subject));
    let found: Vec<(Pair, Answer)> = pairs.map(|p| (p.clone(), finder.ask(&p))).collect();
    let tree = exceptions::tree(model, thing, lang);
    if args.json {
        let branches: Vec<Json> = tree.branches.iter().map(|b| branch_json(model, b, lang)).collect();
        let pairs: Vec<Json> = found.iter().map(|(p, a)| pair_json(model, p, a, lang)).collect();
        screen.json(&json!({
            "name": thing.name(model), "sort": thing.sort(), "title": tree.title, "clauses": branches, "pairs": pairs,
        }))?;
        return Ok(Exit::Yes);
    }
    let title = screen.styled(Style::Bold, &tree.title);
    writeln!(screen, "{title}")?;
    for branch in &tree.branches {
        print(model, branch, 1, lang, screen)?;
    }
    if !found.is_empty() {
        writeln!(screen, "\nPairs that could disagree:")?;
    }
    for (pair, answer) in &found {
        let style = match answer {
            Answer::Apart(_) => Style::Good,
            Answer::Conflict(_) => Style::Bad,
            Answer::Open(_) => Style::Dim,
        };
        let words = screen.styled(style, &conflict::words(model, answer, lang));
        let (a, b) = (short(model, pair.a, lang), short(model, pair.b, lang));
        writeln!(screen, "  {a} against {b}\n    {words}")?;
    }
    Ok(Exit::Yes)
}

/// A clause by its label, or by its head and line.
fn short(model: &Model, id: ClauseId, lang: &str) -> String {
    match model.clause(id) {
        Some(c) if !c.label.text.is_empty() => format!("\"{}\"", c.label.get(lang)),
        Some(c) => format!("{} ({})", c.head(), place(model, id)),
        None => String::from("?"),
    }
}

/// `battle.law:12`, with the variant that brought it.
fn place(model: &Model, id: ClauseId) -> String {
    let span = model.clause(id).map(|c| c.span).unwrap_or_default();
    let (file, line, _) = model.sources.place(span);
    match variant(model, span.file) {
        Some(variant) => format!("{file}:{line}, variant {variant}"),
        None => format!("{file}:{line}"),
    }
}

/// The variant that a file is.
fn variant(model: &Model, file: u32) -> Option<&str> {
    let text = &model.sources.files.get(file as usize)?.text;
    let line = text.lines().find_map(|l| l.strip_prefix("variant "))?;
    line.split_whitespace().next()
}

fn print(model: &Model, branch: &Branch, depth: usize, lang: &str, screen: &mut Screen) -> Result<(), Stop> {
    let indent = "  ".repeat(depth);
    let clause = model.clause(branch.clause);
    let label = clause.map_or("", |c| c.label.get(lang));
    let head = match (branch.role.as_str(), label) {
        ("", "") => clause.map_or_else(String::new, |c| c.head()),
        ("", label) => format!("{} \"{label}\"", clause.map_or_else(String::new, |c| c.head())),
        (role, "") => role.to_owned(),
        (role, label) => format!("{role} \"{label}\""),
    };
    let head = screen.styled(Style::Bold, &head);
    let says = if branch.says.is_empty() { String::new() } else { format!(": {}", branch.says) };
    let mut tail: Vec<String> = Vec::new();
    if !branch.holders.is_empty() {
        tail.push(format!("of {}", branch.holders.join(", ")));
    }
    tail.extend(branch.notes.iter().cloned());
    let notes = if tail.is_empty() { String::new() } else { format!(", {}", tail.join(", ")) };
    let cites = clause.map_or_else(String::new, |c| c.cites.join(", "));
    let cites = if cites.is_empty() { String::new() } else { format!("  {cites}") };
    let from = screen.styled(Style::Dim, &format!("{cites}  {}", place(model, branch.clause)));
    writeln!(screen, "{indent}{head}{says}{notes}{from}")?;
    if !branch.when.is_empty() {
        writeln!(screen, "{indent}  when {}", branch.when.join(" and "))?;
    }
    for inside in &branch.inside {
        print(model, inside, depth + 1, lang, screen)?;
    }
    Ok(())
}

fn branch_json(model: &Model, branch: &Branch, lang: &str) -> Json {
    let clause = model.clause(branch.clause);
    let span = clause.map(|c| c.span).unwrap_or_default();
    let (file, line, _) = model.sources.place(span);
    json!({
        "role": branch.role,
        "clause": model.clause_title(branch.clause, lang),
        "label": clause.map_or("", |c| c.label.get(lang)),
        "says": branch.says,
        "when": branch.when,
        "holders": branch.holders,
        "notes": branch.notes,
        "cites": clause.map_or(&[][..], |c| &c.cites),
        "file": file,
        "line": line,
        "variant": variant(model, span.file),
        "inside": branch.inside.iter().map(|b| branch_json(model, b, lang)).collect::<Vec<_>>(),
    })
}
