//! `exceptions`: the general rule, the exceptions to it, and the exceptions to those.

use std::io::Write as _;
use std::sync::Arc;

use lawspeaker::conflict::{self, Answer, Finder, Pair};
use lawspeaker::exceptions::{self, Branch, Role, Teller, Thing};
use lawspeaker::lexicon::{Counted, Lexicon, fill};
use lawspeaker::library::{self, Unusable};
use lawspeaker::map;
use lawspeaker::model::{ClauseId, Config, Model};
use serde_json::{Value as Json, json};

use super::conflicts::pair_json;
use super::flags::{RulesArgs, TriesArgs};
use super::screen::{Screen, Style};
use super::session;
use super::{Answer as Exit, Run, Stop};

/// Show all clauses about one thing as a tree: the general rule, its exceptions, what beats and forbids it, and which
/// of the clauses could clash.
///
/// NAME is a definition, an action, a procedure, a step (`battle.cards`), what a seat brings, `ends` for the endings,
/// or the label of a clause. Without a name, everything that has exceptions is listed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker exceptions confrontation\n  \
    lawspeaker exceptions confrontation strength\n  lawspeaker exceptions confrontation \"four in the Shire\"\n  \
    lawspeaker exceptions confrontation retreat --lang ja\n\n\
    For each pair of clauses that could disagree, the last part says whether one is ranked above the other, why they \
    never conflict, or where they do. `not decided` means that the search gave up; raise --tries.")]
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
        None => list(Lexicon::new(&model, &lang), args, screen),
        Some(name) => one(&model, config, (name, &lang), args, screen),
    }
}

fn list(lexicon: Lexicon, args: &Args, screen: &mut Screen) -> Run {
    let (model, teller) = (lexicon.model, Teller(lexicon));
    let things = exceptions::list(model);
    if args.json {
        let data = Teller(Lexicon::for_data(model, lexicon.lang));
        let one =
            |t: &Thing| json!({ "name": t.name(model), "sort": data.sort(*t), "clauses": t.clauses(model).len() });
        screen.json(&json!(things.iter().map(one).collect::<Vec<Json>>()))?;
        return Ok(Exit::Yes);
    }
    let wide = things.iter().map(|t| t.name(model).len()).max().unwrap_or(0);
    for thing in &things {
        let name = format!("{:wide$}", thing.name(model));
        let name = screen.styled(Style::Bold, &name);
        let sort = teller.sort(*thing);
        let gap = " ".repeat(SORT_COLUMNS.saturating_sub(map::columns(sort)));
        writeln!(screen, "{name}  {sort}{gap}  {}", counts(&teller, *thing))?;
    }
    let words = lexicon.words;
    writeln!(screen, "{}", fill(words.tree.total, &[&words.counts.of(Counted::Names, things.len())]))?;
    Ok(Exit::Yes)
}

/// The width of the column that says what a subject is.
const SORT_COLUMNS: usize = 10;

/// `1 general rule, 3 instead, 2 plus`.
fn counts(teller: &Teller, thing: Thing) -> String {
    let words = teller.0.words;
    let mut counted: Vec<(String, usize)> = Vec::new();
    let tree = exceptions::tree(teller.0.model, thing);
    let mut todo: Vec<&Branch> = tree.iter().rev().collect();
    while let Some(branch) = todo.pop() {
        todo.extend(branch.inside.iter().rev());
        let role = match branch.role {
            Role::General => words.tree.general.to_owned(),
            Role::Own => teller.kind(branch),
            Role::Plain => String::new(),
            Role::Silences | Role::Spares | Role::SetsAside => continue,
        };
        match counted.iter_mut().find(|(r, _)| *r == role) {
            Some((_, n)) => *n += 1,
            None => counted.push((role, 1)),
        }
    }
    let said = |(role, n): (String, usize)| match role.as_str() {
        "" => words.counts.of(Counted::Clauses, n),
        role => fill(words.tree.counted, &[&n.to_string(), role]),
    };
    counted.into_iter().map(said).collect::<Vec<_>>().join(words.comma)
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
    let tree = exceptions::tree(model, thing);
    if args.json {
        let data = Teller(Lexicon::for_data(model, lang));
        let branches: Vec<Json> = tree.iter().map(|b| branch_json(&data, b)).collect();
        let pairs: Vec<Json> = found.iter().map(|(p, a)| pair_json(model, p, a, lang)).collect();
        screen.json(&json!({
            "name": thing.name(model), "sort": data.sort(thing), "title": data.title(thing),
            "clauses": branches, "pairs": pairs,
        }))?;
        return Ok(Exit::Yes);
    }
    let lexicon = Lexicon::new(model, lang);
    let teller = Teller(lexicon);
    let title = screen.styled(Style::Bold, &teller.title(thing));
    writeln!(screen, "{title}")?;
    for branch in &tree {
        print(&teller, branch, 1, screen)?;
    }
    let words = &lexicon.words.tree;
    if !found.is_empty() {
        writeln!(screen, "\n{}", words.pairs)?;
    }
    for (pair, answer) in &found {
        let style = match answer {
            Answer::Apart(_) => Style::Good,
            Answer::Conflict(_) => Style::Bad,
            Answer::Open(_) => Style::Dim,
        };
        let known = screen.styled(style, &conflict::words(&lexicon, answer));
        let both = fill(words.against, &[&short(&lexicon, pair.a), &short(&lexicon, pair.b)]);
        writeln!(screen, "  {both}\n    {known}")?;
    }
    Ok(Exit::Yes)
}

/// A clause by its label, or by its head and line.
fn short(lexicon: &Lexicon, id: ClauseId) -> String {
    match lexicon.model.clause(id) {
        Some(c) if !c.label.text.is_empty() => lexicon.labelled("", id),
        Some(_) => lexicon.clause(id) + &lexicon.words.bracketed(&place(lexicon, id)),
        None => String::from("?"),
    }
}

/// `battle.law:12`, with the variant that brought it.
fn place(lexicon: &Lexicon, id: ClauseId) -> String {
    let span = lexicon.model.clause(id).map(|c| c.span).unwrap_or_default();
    let (file, line, _) = lexicon.model.sources.place(span);
    let place = format!("{file}:{line}");
    match variant(lexicon.model, span.file) {
        Some(variant) => fill(lexicon.words.tree.in_variant, &[&place, variant]),
        None => place,
    }
}

/// The variant that a file is.
fn variant(model: &Model, file: u32) -> Option<&str> {
    let text = &model.sources.files.get(file as usize)?.text;
    let line = text.lines().find_map(|l| l.strip_prefix("variant "))?;
    line.split_whitespace().next()
}

fn print(teller: &Teller, branch: &Branch, depth: usize, screen: &mut Screen) -> Result<(), Stop> {
    let lexicon = &teller.0;
    let words = lexicon.words;
    let indent = "  ".repeat(depth);
    let head = match teller.role(branch).as_str() {
        "" => lexicon.clause(branch.clause),
        role => lexicon.labelled(role, branch.clause),
    };
    let head = screen.styled(Style::Bold, &head);
    let says = teller.says(&branch.says);
    let says = if says.is_empty() { String::new() } else { format!("{}{says}", words.colon) };
    let mut tail: Vec<String> = Vec::new();
    if !branch.holders.is_empty() {
        tail.push(fill(words.tree.of, &[&teller.holders(branch).join(words.comma)]));
    }
    tail.extend(branch.notes.iter().map(|note| teller.note(*note)));
    let notes: String = tail.iter().map(|note| format!("{}{note}", words.comma)).collect();
    let cites = lexicon.model.clause(branch.clause).map_or_else(String::new, |c| c.cites.join(", "));
    let cites = if cites.is_empty() { String::new() } else { format!("  {cites}") };
    let from = screen.styled(Style::Dim, &format!("{cites}  {}", place(lexicon, branch.clause)));
    writeln!(screen, "{indent}{head}{says}{notes}{from}")?;
    if !branch.when.is_empty() {
        let when = teller.conditions(branch).join(words.and);
        writeln!(screen, "{indent}  {}", fill(words.tree.when, &[&when]))?;
    }
    for inside in &branch.inside {
        print(teller, inside, depth + 1, screen)?;
    }
    Ok(())
}

fn branch_json(teller: &Teller, branch: &Branch) -> Json {
    let (model, lang) = (teller.0.model, teller.0.lang);
    let clause = model.clause(branch.clause);
    let span = clause.map(|c| c.span).unwrap_or_default();
    let (file, line, _) = model.sources.place(span);
    json!({
        "role": teller.role(branch),
        "clause": model.clause_title(branch.clause, lang),
        "label": clause.map_or("", |c| c.label.get(lang)),
        "says": teller.says(&branch.says),
        "when": teller.conditions(branch),
        "holders": teller.holders(branch),
        "notes": branch.notes.iter().map(|note| teller.note(*note)).collect::<Vec<_>>(),
        "cites": clause.map_or(&[][..], |c| &c.cites),
        "file": file,
        "line": line,
        "variant": variant(model, span.file),
        "inside": branch.inside.iter().map(|b| branch_json(teller, b)).collect::<Vec<_>>(),
    })
}
