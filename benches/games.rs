//! Checking a game, playing random games, replaying a record.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lawspeaker::explain::Explainer;
use lawspeaker::game::Evaluator as _;
use lawspeaker::model::Config;
use lawspeaker::players::derived;
use lawspeaker::record::{self, Record, Replayer};
use lawspeaker::rules::Evaluators;
use lawspeaker::simulate::{Finish, Played};
use lawspeaker::{check, library, simulate};

fn explainer() -> Explainer {
    let loaded = library::open("confrontation", &[]).expect("the shipped game is sound");
    let config = Config::defaults(&loaded.model);
    Explainer::new(Arc::clone(&loaded.model), config)
}

fn checking(c: &mut Criterion) {
    let files = library::find("confrontation").expect("shipped").rules();
    c.bench_function("check confrontation", |b| b.iter(|| check::check(&files, &[])));
}

/// The same games by both evaluators.
fn playing(c: &mut Criterion) {
    let e = explainer();
    let fast = Evaluators::new(Arc::new(e.model().clone()), e.config().clone());
    let plies = (0..20).map(|i| simulate::one(&fast, derived(1, i), 10_000).plies.len()).sum::<usize>();
    let mut group = c.benchmark_group("20 random games of confrontation");
    group.throughput(Throughput::Elements(plies as u64));
    group.sample_size(20);
    group.bench_function("explain", |b| {
        b.iter(|| (0..20).map(|i| simulate::one(&e, derived(1, i), 10_000).plies.len()).sum::<usize>());
    });
    group.bench_function("engine", |b| {
        b.iter(|| (0..20).map(|i| simulate::one(&fast, derived(1, i), 10_000).plies.len()).sum::<usize>());
    });
    group.finish();
    let model = Arc::new(e.model().clone());
    c.bench_function("lower confrontation", |b| {
        b.iter(|| Evaluators::new(Arc::clone(&model), e.config().clone()));
    });
}

/// The records of the same games, read and played again.
fn replaying(c: &mut Criterion) {
    let e = explainer();
    let fast = Evaluators::new(Arc::new(e.model().clone()), e.config().clone());
    let texts: Vec<String> = (0..20).map(|i| text_of(&e, &simulate::one(&fast, derived(1, i), 10_000))).collect();
    let read = |text: &String| record::parse(text).expect("well formed");
    let plies = texts.iter().map(|t| read(t).plies.len()).sum::<usize>();
    let replayer = Replayer::new(e.model(), e.config());
    let mut group = c.benchmark_group("20 records of confrontation");
    group.throughput(Throughput::Elements(plies as u64));
    group.sample_size(20);
    group.bench_function("read", |b| b.iter(|| texts.iter().map(|t| read(t).plies.len()).sum::<usize>()));
    group.bench_function("replay, explain", |b| {
        b.iter(|| texts.iter().map(|t| replayer.replay(&read(t), &e, &e).plies.len()).sum::<usize>());
    });
    group.bench_function("replay, engine", |b| {
        b.iter(|| texts.iter().map(|t| replayer.replay(&read(t), &fast, &e).plies.len()).sum::<usize>());
    });
    group.finish();
    c.bench_function("make ready to replay", |b| b.iter(|| Replayer::new(e.model(), e.config())));
}

/// A game as a record.
fn text_of(e: &Explainer, played: &Played) -> String {
    let mut position = e.start().expect("no fault");
    let mut record = Record { rules: Some(record::rules_digest(e.model(), e.config())), ..Record::default() };
    record.settings.game = "confrontation".into();
    for ply in &played.plies {
        record.plies.push(record::ply((e, e), &position, ply.choice));
        e.apply(&mut position, ply.choice).expect("no fault");
    }
    if let Finish::Over(outcome) = &played.finish {
        record.result = Some(record::result_of(e.model(), Some(outcome)));
    }
    record::write(&record)
}

criterion_group!(benches, checking, playing, replaying);
criterion_main!(benches);
