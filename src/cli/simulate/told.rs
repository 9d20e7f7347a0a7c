//! What came of many games, on the screen and as JSON.

use std::io::Write as _;

use lawspeaker::lexicon::{Counted, fill};
use lawspeaker::simulate::Figures;
use lawspeaker::stats::{Counts, Estimate};
use serde_json::{Value as Json, json};

use super::problem;
use super::rows::{Crossed, RANGES, Report, Row};
use super::series::Until;
use crate::cli::Stop;
use crate::cli::columns::aligned;
use crate::cli::screen::Screen;

/// The rows of a table on the screen; the page and JSON have all.
const SHOWN: usize = 12;

/// The most seats whose intervals stand beside each other on the screen.
const WIDE: usize = 2;

/// `12.3 % (10.1 to 14.5)`.
fn line(row: &Row, screen: &str) -> String {
    let Estimate { value, low, high } = row.share;
    let [p, low, high] = [value, low, high].map(percent);
    format!("{:>8}  {}  {}", row.games, fill(screen, &[&format!("{p:>5}"), &low, &high]), row.name)
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Percentage points, without zeros at the end.
pub fn points_text(points: f64) -> String {
    let text = format!("{points:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What is always told.
pub fn print(report: &Report<'_>, details: bool, screen: &mut Screen) -> Result<(), Stop> {
    let words = report.session.lexicon().words;
    for row in report.wins(words.play.draw) {
        writeln!(screen, "{}", line(&row, words.odds.share))?;
    }
    writeln!(screen, "{}", words.many.by_ending)?;
    for (row, clause) in report.endings() {
        writeln!(screen, "{}", line(&row, words.odds.share))?;
        if let Some(clause) = clause.filter(|_| details) {
            screen.indented(10, &fill(words.sim.by_clause, &[&report.clause(clause)]))?;
        }
    }
    let lengths = &report.tally.lengths;
    let [least, most, median] = [lengths.least(), lengths.most(), lengths.median()].map(|n| n.to_string());
    let mean = format!("{:.1}", lengths.mean());
    writeln!(screen, "{}", fill(words.many.lengths_mean, &[&least, &most, &median, &mean]))?;
    Ok(())
}

/// Faults, told in words.
pub fn print_faults(report: &Report<'_>, screen: &mut Screen) -> Result<(), Stop> {
    let lexicon = report.session.lexicon();
    for fault in report.tally.faults.iter().filter_map(|finish| problem(&lexicon, finish)) {
        writeln!(screen, "{}", fill(lexicon.words.many.fault, &[&fault]))?;
    }
    Ok(())
}

/// What is told only if it is asked for.
pub fn print_details(report: &Report<'_>, figures: &Figures, screen: &mut Screen) -> Result<(), Stop> {
    let words = report.session.lexicon().words;
    let quantiles = QUANTILES.map(|share| report.tally.lengths.quantile(share).to_string());
    let [low, lower, upper, high] = &quantiles;
    screen.indented(2, &fill(words.sim.quantiles, &[low, lower, upper, high]))?;
    let options = figures.all_options();
    let [least, most, median] = [options.least(), options.most(), options.median()].map(|n| n.to_string());
    let mean = format!("{:.1}", options.mean());
    screen.indented(0, &fill(words.sim.options, &[&least, &most, &median, &mean]))?;
    for (seat, options) in &figures.options {
        let decisions = format!("{:.1}", options.total() as f64 / figures.games.max(1) as f64);
        let (name, mean) = (report.session.seat_name(Some(*seat)), format!("{:.1}", options.mean()));
        screen.indented(2, &fill(words.sim.options_of, &[&name, &mean, &decisions]))?;
    }
    writeln!(screen, "{}", words.sim.kinds)?;
    let kinds = report.kinds(figures);
    let all: usize = kinds.iter().map(|(_, plies)| plies).sum();
    for (name, plies) in kinds {
        let share = percent(plies as f64 / all.max(1) as f64);
        writeln!(screen, "{:>8.1}  {share:>5} %  {name}", plies as f64 / figures.games.max(1) as f64)?;
    }
    for seat in figures.options.keys() {
        let head = fill(words.sim.firsts, &[&report.session.seat_name(Some(*seat))]);
        print_crossed(report, &head, &report.firsts(figures, *seat), screen)?;
    }
    print_crossed(report, words.sim.standing, &report.standing(figures), screen)?;
    print_crossed(report, words.sim.by_length, &report.by_length(), screen)?;
    print_crossed(report, words.sim.by_setting, &report.settings(figures), screen)
}

/// The quantiles of the lengths that are told.
pub const QUANTILES: [f64; 4] = [0.05, 0.25, 0.75, 0.95];

/// A table of who won the games of which something holds.
fn print_crossed(report: &Report<'_>, head: &str, rows: &[Crossed], screen: &mut Screen) -> Result<(), Stop> {
    if rows.is_empty() {
        return Ok(());
    }
    let words = report.session.lexicon().words;
    let wide = report.session.rules.seats() <= WIDE;
    writeln!(screen, "{head}")?;
    let cell = |share: Estimate| {
        let [p, low, high] = [share.value, share.low, share.high].map(percent);
        if wide { fill(words.odds.share, &[&p, &low, &high]) } else { fill(words.sim.percent, &[&p]) }
    };
    let titles = std::iter::once(words.sim.games.to_owned()).chain(report.seats()).chain([String::new()]);
    let mut lines: Vec<Vec<String>> = vec![titles.collect()];
    for row in rows.iter().take(SHOWN) {
        let shares = report.shares(row, rows.len()).into_iter().map(cell);
        let games = std::iter::once(row.winners.over.to_string());
        lines.push(games.chain(shares).chain([row.name.clone()]).collect());
    }
    let left = report.session.rules.seats() + 1;
    for line in aligned(&lines, left) {
        writeln!(screen, "  {line}")?;
    }
    if rows.len() > SHOWN {
        writeln!(screen, "  {}", fill(words.sim.more_rows, &[&(rows.len() - SHOWN).to_string()]))?;
    }
    Ok(())
}

/// A share as JSON.
fn row_json(row: &Row) -> Json {
    let Estimate { value, low, high } = row.share;
    json!({ "name": row.name, "games": row.games, "share": value, "low": low, "high": high })
}

/// Shares as JSON.
pub fn wins_json(report: &Report<'_>) -> Vec<Json> {
    report.wins("draw").iter().map(row_json).collect()
}

/// Endings as JSON, each with its clause.
pub fn endings_json(report: &Report<'_>) -> Vec<Json> {
    let model = report.session.model();
    let one = |(row, clause): (Row, _)| {
        let mut json = row_json(&row);
        if let Some(id) = clause {
            let clause = model.clause(id);
            let (file, line, _) = clause.map_or(("", 0, 0), |c| model.sources.place(c.span));
            json["clause"] = json!({
                "clause": model.clause_title(id, ""),
                "cites": clause.map(|c| c.cites.as_slice()).unwrap_or_default(),
                "place": format!("{file}:{line}"),
            });
        }
        json
    };
    report.endings().into_iter().map(one).collect()
}

/// Lengths, or numbers of options, as JSON.
pub fn counts_json(counts: &Counts) -> Json {
    let quantiles = QUANTILES.map(|share| json!({ "share": share, "value": counts.quantile(share) }));
    let bin = |bin: lawspeaker::stats::Bin| json!({ "from": bin.from, "to": bin.to, "count": bin.count });
    json!({
        "least": counts.least(), "median": counts.median(), "mean": counts.mean(), "most": counts.most(),
        "quantiles": quantiles, "histogram": counts.histogram(2 * RANGES).into_iter().map(bin).collect::<Vec<_>>(),
    })
}

fn crossed_json(report: &Report<'_>, rows: &[Crossed]) -> Vec<Json> {
    let seats = report.seats();
    let one = |row: &Crossed| {
        let shares = report.shares(row, rows.len());
        let wins = seats.iter().zip(shares).enumerate().map(|(seat, (name, share))| {
            let Estimate { value, low, high } = share;
            json!({ "name": name, "games": row.winners.of(seat), "share": value, "low": low, "high": high })
        });
        json!({
            "name": row.name, "games": row.winners.over, "draws": row.winners.draws, "wins": wins.collect::<Vec<_>>(),
        })
    };
    rows.iter().map(one).collect()
}

/// The details as JSON.
pub fn details_json(report: &Report<'_>, figures: &Figures) -> Json {
    let seat_name = |seat: &u16| report.session.seat_name(Some(*seat));
    let options = figures.options.iter().map(|(seat, counts)| {
        json!({ "seat": seat_name(seat), "decisions": counts.total(), "options": counts_json(counts) })
    });
    let by_ply = figures.options_by_ply(2 * RANGES).into_iter().map(|((from, to), mean)| {
        // Plies are numbered from 1.
        json!({ "from": from + 1, "to": to + 1, "options": mean })
    });
    let kinds = report.kinds(figures).into_iter().map(|(name, plies)| json!({ "name": name, "plies": plies }));
    let firsts = figures.options.keys().map(
        |seat| json!({ "seat": seat_name(seat), "choices": crossed_json(report, &report.firsts(figures, *seat)) }),
    );
    json!({
        "options": counts_json(&figures.all_options()),
        "options_by_seat": options.collect::<Vec<_>>(),
        "options_by_ply": by_ply.collect::<Vec<_>>(),
        "plies_by_kind": kinds.collect::<Vec<_>>(),
        "first_choices": firsts.collect::<Vec<_>>(),
        "on_board_at_end": crossed_json(report, &report.standing(figures)),
        "wins_by_plies": crossed_json(report, &report.by_length()),
        "wins_by_setting": crossed_json(report, &report.settings(figures)),
    })
}

/// How sure the intervals are, and at which numbers of games they were looked at.
pub fn confidence(report: &Report<'_>, until: &Until) -> String {
    let words = report.session.lexicon().words;
    match until {
        Until::Games(_) => words.sim.confidence.to_owned(),
        Until::Precision(precision) => {
            let looks: Vec<String> = precision.numbers().iter().map(u64::to_string).collect();
            fill(words.sim.confidence_looks, &[&looks.join(words.comma)])
        }
    }
}

/// How many games, in words.
pub fn games(report: &Report<'_>) -> String {
    report.session.lexicon().words.counts.of(Counted::Games, report.tally.games())
}
