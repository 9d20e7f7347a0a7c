//! The report as JSON.

use lawspeaker::compare::{
    Ahead, Change, Clash, Comparison, Counted, Deciding, Difference, Fork, Goes, Mean, OtherRecord, OtherRuling, Part,
    Play, Share, Sort, Waking,
};
use lawspeaker::stats::Estimate;
use serde_json::{Value as Json, json};

use super::Report;
use super::told::named;

/// The report.
pub fn json(report: &Report) -> Json {
    let others = report.others.iter().map(|(side, found)| {
        let mut one = comparison(found);
        one["rules"] = json!(named(side));
        one
    });
    json!({
        "first": named(&report.first),
        "others": others.collect::<Vec<_>>(),
        "seed": report.seed,
        "bots": report.bots.iter().map(|(seat, bot)| json!({ "seat": seat, "bot": bot })).collect::<Vec<_>>(),
        "differs": report.differs(),
        "command": report.command,
    })
}

fn comparison(found: &Comparison) -> Json {
    json!({
        "differs": found.differs(),
        "written": {
            "changes": found.written.changes.iter().map(change).collect::<Vec<_>>(),
            "lost": found.written.lost, "gained": found.written.gained, "other": found.written.other,
        },
        "rulings": {
            "cases": found.rulings.cases,
            "failing": found.rulings.failing,
            "others": found.rulings.others.iter().map(ruling).collect::<Vec<_>>(),
            "reached": found.rulings.reached.iter().map(|(name, cases)| json!({ "what": name, "cases": cases }))
                .collect::<Vec<_>>(),
        },
        "records": {
            "records": found.records.records,
            "failing": found.records.failing,
            "others": found.records.others.iter().map(record).collect::<Vec<_>>(),
        },
        "conflicts": {
            "pairs": found.clashes.pairs,
            "come": found.clashes.come.iter().map(clash).collect::<Vec<_>>(),
            "gone": found.clashes.gone.iter().map(clash).collect::<Vec<_>>(),
        },
        "warnings": { "come": found.clashes.warned, "gone": found.clashes.unwarned },
        "counts": found.counts.iter().map(counted).collect::<Vec<_>>(),
        "play": found.play.as_ref().map(play),
        "waking": found.waking.as_ref().map(waking),
        "ahead": found.ahead.as_ref().map(ahead),
        "unplayed": found.unplayed,
        "unseen": found.unseen,
    })
}

fn change(change: &Change) -> Json {
    let sort = match change.sort {
        Sort::Added => "added",
        Sort::Removed => "removed",
        Sort::Changed => "changed",
    };
    let (before, after) = change.values.clone().unzip();
    let before = before.filter(|_| change.sort != Sort::Added);
    let after = after.filter(|_| change.sort != Sort::Removed);
    json!({ "what": change.what, "sort": sort, "cites": change.cites, "before": before, "after": after })
}

fn ruling(other: &OtherRuling) -> Json {
    json!({
        "case": other.case, "place": other.place, "expected": other.expected, "got": other.got,
        "unusable": other.unusable, "through": other.deciding.names, "how": other.deciding.how.word(),
    })
}

fn record(other: &OtherRecord) -> Json {
    let Deciding { names, how } = &other.deciding;
    let mut one = json!({ "record": other.record, "through": names, "how": how.word() });
    match &other.goes {
        Goes::Stops(ply, why) => (one["stops"], one["ply"]) = (json!(why), json!(ply)),
        Goes::Ends(why) => one["ends"] = json!(why),
        Goes::Options(ply) => one["options_differ_at"] = json!(ply),
    }
    one
}

fn clash(clash: &Clash) -> Json {
    json!({ "clauses": clash.clauses, "known": clash.known, "found": clash.found })
}

fn counted(counted: &Counted) -> Json {
    json!({ "from": counted.from, "depths": counted.depths, "fork": counted.fork.as_ref().map(fork) })
}

fn fork(fork: &Fork) -> Json {
    let (gone, come, standing) = match &fork.difference {
        Difference::Options(gone, come) => (gone.clone(), come.clone(), None),
        Difference::Standing(was, now) => (Vec::new(), Vec::new(), Some([was, now])),
    };
    json!({
        "plies": fork.plies, "only_first": gone, "only_second": come, "standing": standing,
        "through": fork.deciding.names, "how": fork.deciding.how.word(),
    })
}

fn play(play: &Play) -> Json {
    let share = |share: &Share| {
        json!({
            "name": share.name, "games": share.games, "difference": estimate(&share.difference),
            "sure": share.is_sure(),
        })
    };
    let mean = |mean: &Mean| {
        json!({
            "name": mean.name, "means": mean.means, "difference": estimate(&mean.difference),
            "sure": mean.is_sure(),
        })
    };
    json!({
        "games": play.games, "faulty": play.faulty, "comparisons": play.comparisons,
        "shares": play.shares.iter().map(share).collect::<Vec<_>>(),
        "means": play.means.iter().map(mean).collect::<Vec<_>>(),
        "watched": play.watched, "precise": play.precise,
    })
}

/// The value with its interval.
fn estimate(estimate: &Estimate) -> [f64; 3] {
    [estimate.value, estimate.low, estimate.high]
}

fn waking(waking: &Waking) -> Json {
    let part = |part: &Part| json!({ "what": part.name, "games": part.games });
    json!({ "games": waking.games, "parts": waking.parts.iter().map(part).collect::<Vec<_>>() })
}

fn ahead(ahead: &Ahead) -> Json {
    json!({
        "positions": ahead.positions, "same_to": ahead.same_to, "all": ahead.all, "games": ahead.games,
        "shortest": ahead.shortest, "fork": ahead.fork.as_ref().map(fork),
    })
}
