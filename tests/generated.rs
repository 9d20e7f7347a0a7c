//! Games made at random, played by explaining, as trees and as machine code in step.
#![allow(missing_docs)]

#[path = "generated/mod.rs"]
mod generated;

use generated::step::{Tried, try_game};
use lawspeaker::players::{Dice, derived};
use std::collections::BTreeMap;

#[test]
fn survey() {
    let n: u64 = std::env::var("N").map_or(100, |n| n.parse().unwrap());
    let from: u64 = std::env::var("FROM").map_or(0, |n| n.parse().unwrap());
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut ok, mut plies, mut code, mut faults, mut bad) = (0, 0, 0, 0, 0);
    for i in from..from + n {
        let game = generated::game(&mut Dice::new(derived(1, i)));
        if std::env::var("SHOW").is_ok() {
            println!("---- {i}\n{}", game.files[0].1);
        }
        let t = std::time::Instant::now();
        match try_game(&game, i, 2, 30) {
            Tried::Refused(told) => {
                for t in told.iter().take(1) {
                    let code: String = t.split(" at ").next().unwrap_or("").into();
                    println!("{i}: {t}\n   {}", game.files[0].1.lines().nth(t.rsplit(':').nth(1).unwrap().parse::<usize>().unwrap_or(1).max(1) - 1).unwrap_or(""));
                    *refused.entry(code).or_default() += 1;
                }
            }
            Tried::Alike(w) => {
                ok += 1;
                plies += w.plies;
                code += w.code;
                faults += w.faults;
                for u in &game.used { *used.entry(u).or_default() += 1; }
            }
            Tried::Different(d) => { bad += 1; println!("{i}: DIFFERENT {d}"); }
        }
        if t.elapsed().as_millis() > 500 { println!("{i}: {:?}", t.elapsed()); }
    }
    println!("{ok} ok, {plies} plies, {code} code, {faults} faults, {bad} different, {} refused", refused.values().sum::<usize>());
    for (k, v) in refused { println!("{v:5} {k}"); }
    println!("{used:?}");
}
