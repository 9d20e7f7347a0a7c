use lawspeaker::{casebook, explain::Explainer, facts};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let cache: Mutex<BTreeMap<String, Arc<Explainer>>> = Mutex::default();
    let load = |s: &facts::Settings| -> Result<Arc<Explainer>, String> {
        let key = s.rules().to_string();
        if let Some(e) = cache.lock().unwrap().get(&key) {
            return Ok(e.clone());
        }
        let dir = std::env::var("RULES").unwrap_or("rules/confrontation".into());
        let mut fs = vec![];
        for sub in ["", "variants"] {
            if let Ok(rd) = std::fs::read_dir(format!("{dir}/{sub}")) {
                for e in rd.flatten() {
                    let p = e.path();
                    if p.is_file() {
                        let n = e.file_name().to_string_lossy().to_string();
                        if let Ok(t) = std::fs::read_to_string(&p) {
                            fs.push((if sub.is_empty() { n } else { format!("{sub}/{n}") }, t));
                        }
                    }
                }
            }
        }
        let c = lawspeaker::check::check(&fs, &s.variants);
        let Some(m) = c.model else {
            for d in c.diagnostics {
                let (f, l, col) = c.sources.place(d.labels[0].0);
                eprintln!("{} {} {f}:{l}:{col}", d.code, d.message);
            }
            return Err("rules have faults".into());
        };
        let cfg = facts::config_of(&m, s)?;
        let e = Arc::new(Explainer::new(Arc::new(m), cfg));
        cache.lock().unwrap().insert(key, e.clone());
        Ok(e)
    };
    let (mut pass, mut fail) = (0, 0);
    let mut cites: std::collections::BTreeSet<String> = Default::default();
    for f in files {
        let text = std::fs::read_to_string(&f).unwrap();
        let (cases, faults) = casebook::parse(&f, &text);
        for x in faults {
            println!("{f}: {x:?}");
            fail += 1;
        }
        for c in cases {
            let r = casebook::run(&c, &load);
            cites.extend(r.cites.iter().cloned());
            if r.passed {
                pass += 1
            } else {
                fail += 1;
                println!("FAIL {}", r.name);
                for x in r.failures {
                    println!("  {x}");
                }
            }
        }
    }
    println!("{pass} passed, {fail} failed");
    if std::env::var("CITES").is_ok() {
        for c in cites {
            println!("cited {c}");
        }
    }
}
