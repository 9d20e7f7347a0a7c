fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let vars: Vec<String> = std::env::args().skip(2).collect();
    let mut files = vec![];
    for sub in ["", "variants"] {
        if let Ok(rd) = std::fs::read_dir(format!("{dir}/{sub}")) {
            for e in rd.flatten() {
                let p = e.path();
                if p.is_file() {
                    let n = e.file_name().to_string_lossy().to_string();
                    if let Ok(t) = std::fs::read_to_string(&p) {
                        files.push((if sub.is_empty() { n } else { format!("{sub}/{n}") }, t));
                    }
                }
            }
        }
    }
    let t = std::time::Instant::now();
    let c = lawspeaker::check::check(&files, &vars);
    let el = t.elapsed();
    for d in &c.diagnostics {
        let (f, l, col) = c.sources.place(d.labels[0].0);
        println!(
            "{:?} {} {f}:{l}:{col} {} [{}] {}",
            d.severity,
            d.code,
            d.message,
            d.labels[0].1,
            d.help.clone().unwrap_or_default()
        );
    }
    println!("{} diagnostics, model {} in {el:?}", c.diagnostics.len(), c.model.is_some());
    if let Some(m) = c.model {
        println!(
            "position {} bytes, {} clauses {} codes depth {}",
            m.layout.size,
            m.clauses.len(),
            m.codes.len(),
            m.layout.max_depth
        );
    }
}
