//! `clauses`: what of the rulebook is encoded, and where.

use std::collections::BTreeMap;
use std::io::Write as _;

use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::{self, Folder};
use lawspeaker::model::{CitationRole, Model, RegisterRow};
use serde_json::{Value as Json, json};

use super::flags::{RulesArgs, SeedArgs};
use super::number::{LARGEST, within};
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop};

/// List the clauses of the rulebook with the rules and cases that cite each, and those that nothing cites.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seed", |a| a.requires("games")),
    after_help = "Examples:\n  lawspeaker clauses confrontation\n  \
    lawspeaker clauses confrontation --bare\n  \
    lawspeaker clauses confrontation --measured --games 20\n  \
    lawspeaker clauses mygame --measured --cases --bare\n\n\
    With --bare, the exit code is 1 if there are bare clauses.\n\n\
    With --measured, a number tells in how many cases, records or games a clause decided something; a number in \
    brackets, in how many it was only evaluated; `-` means that it was never reached."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// List only the clauses that nothing cites; with --measured, those that never decided anything.
    #[arg(long)]
    pub(super) bare: bool,
    /// Run the cases and records, and count what each clause decided.
    #[arg(long)]
    pub(super) measured: bool,
    /// Measure cases (by default, cases and records are measured).
    #[arg(long, requires = "measured")]
    pub(super) cases: bool,
    /// Measure records.
    #[arg(long, requires = "measured")]
    pub(super) records: bool,
    /// Measure this many random games, whose options and readings are drawn as well unless they are set.
    #[arg(long, requires = "measured", value_name = "N", value_parser = within::<u64>(1..=LARGEST))]
    pub(super) games: Option<u64>,
    #[command(flatten)]
    pub(super) seed: SeedArgs,
    #[command(flatten)]
    pub(super) rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,
}

/// A clause of the register and what covers it.
struct Covered<'a> {
    row: &'a RegisterRow,
    /// By what, where, and how.
    rules: Vec<(String, String, CitationRole)>,
    /// Names of cases.
    cases: Vec<String>,
}

impl Covered<'_> {
    fn bare(&self) -> bool {
        self.rules.is_empty()
    }

    fn role(&self) -> &'static str {
        let has = |role| self.rules.iter().any(|(_, _, r)| *r == role);
        if has(CitationRole::Rule) {
            "rule"
        } else if has(CitationRole::Manners) {
            "manners"
        } else if has(CitationRole::Note) {
            "note"
        } else {
            "bare"
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let loaded = library::open(&args.game, args.rules.variants())?;
    let config = args.rules.config(&loaded.model)?;
    if args.measured {
        return super::coverage::run(args, &loaded, config.as_ref(), screen);
    }
    let all = coverage(&loaded.model, &loaded.folder);
    let shown: Vec<&Covered<'_>> = all.iter().filter(|c| !args.bare || c.bare()).collect();
    if args.json {
        screen.json(&to_json(&all, &shown, args.rules.lang()))?;
    } else {
        print(&all, &shown, args.rules.lang(), screen)?;
    }
    let bare = all.iter().any(Covered::bare);
    Ok(Answer::from(!(args.bare && bare)))
}

fn coverage<'a>(model: &'a Model, folder: &Folder) -> Vec<Covered<'a>> {
    let cases = case_citations(folder);
    let cover = |row: &'a RegisterRow| {
        let citing = model.citations.iter().filter(|c| c.id == row.id);
        let rules = citing.map(|c| {
            let (file, line, _) = model.sources.place(c.span);
            (c.by.clone(), format!("{file}:{line}"), c.role)
        });
        Covered { row, rules: rules.collect(), cases: cases.get(&row.id).cloned().unwrap_or_default() }
    };
    model.register.iter().map(cover).collect()
}

/// For each id the names of the cases that cite it.
fn case_citations(folder: &Folder) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, text) in folder.casebooks() {
        for line in text.lines().map(str::trim) {
            let Some((name, ids)) = cited(line) else {
                continue;
            };
            for id in ids {
                found.entry(id).or_default().push(name.to_owned());
            }
        }
    }
    found
}

/// Of a line `case "name" cite a.1, b.2` the name and the ids.
fn cited(line: &str) -> Option<(&str, Vec<String>)> {
    let rest = line.strip_prefix("case")?.trim_start().strip_prefix('"')?;
    let (name, rest) = rest.split_once('"')?;
    let ids = rest.trim_start().strip_prefix("cite ")?;
    let ids = ids.split("//").next().unwrap_or("").split(',');
    Some((name, ids.map(|id| id.trim().to_owned()).collect()))
}

fn print(all: &[Covered<'_>], shown: &[&Covered<'_>], lang: &str, screen: &mut Screen) -> Result<(), Stop> {
    let words = Words::of(lang);
    let register = &words.register;
    let role_word = |role: &str| match role {
        "rule" => register.rule,
        "note" => register.note,
        "manners" => register.manners,
        _ => register.bare,
    };
    for clause in shown {
        let style = if clause.bare() { Style::Bad } else { Style::Bold };
        let id = screen.styled(style, &clause.row.id);
        let role = screen.styled(Style::Dim, role_word(clause.role()));
        let line = match clause.row.line.as_str() {
            "" => String::new(),
            line => words.bracketed(&fill(words.rulebook_line, &[line])),
        };
        writeln!(screen, "{id}{line}  {role}  {}", clause.row.paraphrase.get(lang))?;
        if !clause.row.ambiguity.is_empty() {
            writeln!(screen, "    {}", fill(words.unclear, &[&clause.row.ambiguity]))?;
        }
        for (by, place, role) in &clause.rules {
            let by = match role {
                CitationRole::Rule => by,
                CitationRole::Note => register.note,
                CitationRole::Manners => register.manners,
            };
            writeln!(screen, "    {by}  {place}")?;
        }
        for case in &clause.cases {
            writeln!(screen, "    {}", fill(register.case, &[case]))?;
        }
    }
    let [rules, notes, manners, bare] =
        ["rule", "note", "manners", "bare"].map(|role| all.iter().filter(|c| c.role() == role).count().to_string());
    let tried = all.iter().filter(|c| !c.cases.is_empty()).count().to_string();
    let count = words.counts.of(Counted::Clauses, all.len());
    writeln!(screen, "{}", fill(register.total, &[&count, &rules, &notes, &manners, &bare, &tried]))?;
    Ok(())
}

fn to_json(all: &[Covered<'_>], shown: &[&Covered<'_>], lang: &str) -> Json {
    let clause = |c: &&Covered<'_>| {
        let rules: Vec<Json> = c.rules.iter().map(|(by, at, _)| json!({ "by": by, "at": at })).collect();
        json!({
            "id": c.row.id, "section": c.row.section, "kind": c.row.kind, "line": c.row.line,
            "says": c.row.paraphrase.get(lang), "unclear": c.row.ambiguity,
            "covered": c.role(), "rules": rules, "cases": c.cases,
        })
    };
    json!({
        "clauses": shown.iter().map(clause).collect::<Vec<Json>>(),
        "total": all.len(),
        "bare": all.iter().filter(|c| c.bare()).count(),
        "with_cases": all.iter().filter(|c| !c.cases.is_empty()).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_citations_of_a_case_are_read() {
        let line = "case \"Not in the mountains\" cite char.frodo.3, char.frodo.1 // both";
        let (name, ids) = cited(line).unwrap();
        assert_eq!(name, "Not in the mountains");
        assert_eq!(ids, ["char.frodo.3", "char.frodo.1"]);
        assert!(cited("then Frodo at Rohan").is_none());
        assert!(cited("case \"nothing cited\"").is_none());
    }
}
