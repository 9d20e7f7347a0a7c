use lawspeaker::explain::Explainer;
use lawspeaker::game::*;
use std::sync::Arc;
fn main() {
    let dir = "/work/main/rules/confrontation";
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let show = std::env::args().nth(2).is_some();
    let mut files = vec![];
    if let Ok(rd) = std::fs::read_dir(dir) {
        for e in rd.flatten() {
            let p = e.path();
            if p.is_file() {
                let nn = e.file_name().to_string_lossy().to_string();
                if let Ok(t) = std::fs::read_to_string(&p) {
                    files.push((nn, t));
                }
            }
        }
    }
    let c = lawspeaker::check::check(&files, &[]);
    let m = Arc::new(c.model.unwrap());
    let mut cfg = lawspeaker::model::Config(m.config.iter().map(|c| c.default).collect());
    let t = std::time::Instant::now();
    let mut plies = 0;
    let mut ends = std::collections::BTreeMap::new();
    for g in 0..n {
        let mut s = g as u64 * 7919 + 12345;
        for (i, c) in m.config.iter().enumerate() {
            if c.name == "variant_cards" {
                cfg.0[i] = (g % 2) as i32
            } else if c.is_reading() {
                s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                cfg.0[i] = ((s >> 33) as usize % c.choices.len()) as i32
            }
        }
        let e = Explainer::new(m.clone(), cfg.clone());
        let mut p = match e.start() {
            Ok(p) => p,
            Err(f) => {
                println!("start {}", f.words(&m));
                return;
            }
        };
        let mut k = 0;
        loop {
            match e.status(&p) {
                Ok(Status::Over(o)) => {
                    *ends.entry(m.clause_title(m.ends[o.ending].clause, "")).or_insert(0) += 1;
                    if show {
                        println!("OVER {:?}", o);
                    }
                    break;
                }
                Err(f) => {
                    println!("game {g} ply {k} status {}", f.words(&m));
                    break;
                }
                Ok(st) => {
                    let o = match e.options(&p) {
                        Ok(o) => o,
                        Err(f) => {
                            println!("game {g} ply {k} options {}", f.words(&m));
                            break;
                        }
                    };
                    if o.is_empty() {
                        println!("game {g} ply {k} NO OPTIONS {st:?}");
                        break;
                    }
                    s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let i = (s >> 33) as usize % o.len();
                    if show {
                        println!(
                            "{k} {:?}: {}  [{}]",
                            match st {
                                Status::Decision(q) => q.seat as i32,
                                _ => -1,
                            },
                            e.say(&p, o[i], ""),
                            o.len()
                        );
                    }
                    match e.nevers(&p) {
                        Ok(v) => {
                            for c in v {
                                println!("game {g} ply {k} NEVER {}", m.clause_title(c, ""));
                            }
                        }
                        Err(f) => println!("never {}", f.words(&m)),
                    }
                    if let Err(f) = e.apply(&mut p, o[i]) {
                        println!("game {g} ply {k} apply {}", f.words(&m));
                        break;
                    }
                    k += 1;
                }
            }
        }
        plies += k;
    }
    println!("{n} games {plies} plies {:?} {ends:?}", t.elapsed());
}
