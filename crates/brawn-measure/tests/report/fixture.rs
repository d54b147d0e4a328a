//! A document like one of a long run: eight suites, five variants, curves, timelines, skipped suites, odd names.
//! The figures are drawn from a seeded generator, so that every test sees the same ones.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use brawn_measure::results::{
    Better, CaseResult, Cell, Kind, Noise, Published, Results, Row, Runs, SCHEMA, Settings, Skipped,
    SuiteResult, VariantInfo,
};
use brawn_measure::{Machine, Sample, Summary};
use serde_json::json;

/// The names of the variants; the last one is as odd as a name can be.
pub const VARIANTS: [&str; 5] = ["glibc", "stock", "balanced", "fast", ODD];
/// A name that breaks whatever does not escape it.
pub const ODD: &str = "<b>&\"'</script><!-- a-very-long-name-that-must-not-stretch-the-page";
/// What each variant costs beside glibc in the common case: time, memory.
const COST: [(f64, f64); 5] = [(1.0, 1.0), (4.6, 0.3), (0.93, 0.42), (0.81, 1.9), (1.3, 0.7)];
const BLOCKS: usize = 12;

/// Draws figures.
struct Figures {
    random: fastrand::Rng,
}

/// What a row is of, apart from its figures.
struct Shape<'a> {
    name: &'a str,
    kind: Kind,
    unit: &'a str,
    better: Better,
    curve: Option<(&'a str, f64, &'a str)>,
}

impl<'a> Shape<'a> {
    fn time(name: &'a str, unit: &'a str) -> Self {
        Self { name, kind: Kind::Time, unit, better: Better::Lower, curve: None }
    }

    fn rate(name: &'a str, unit: &'a str) -> Self {
        Self { better: Better::Higher, ..Self::time(name, unit) }
    }

    fn memory(name: &'a str) -> Self {
        Self { kind: Kind::Memory, ..Self::time(name, "bytes") }
    }

    fn on(self, series: &'a str, x: f64, label: &'a str) -> Self {
        Self { curve: Some((series, x, label)), ..self }
    }
}

impl Figures {
    /// A row whose figures lie around `base` times the cost of each variant; `strength` 0 makes all variants equal.
    fn row(&mut self, shape: &Shape<'_>, base: f64, strength: f64) -> Row {
        let samples: Vec<Vec<f64>> = COST
            .iter()
            .map(|(time, memory)| {
                let cost = if shape.kind == Kind::Memory { memory } else { time }.powf(strength);
                let center = if shape.better == Better::Lower { base * cost } else { base / cost };
                (0..BLOCKS).map(|_| center * self.noise(0.02)).collect()
            })
            .collect();
        let cells: Vec<Cell> = VARIANTS
            .iter()
            .zip(&samples)
            .enumerate()
            .map(|(index, (name, values))| Cell {
                variant: (*name).to_owned(),
                summary: Summary::of(values).unwrap(),
                ratio: (index > 0).then(|| Summary::of_ratios(values, &samples[0]).unwrap()),
                outliers: usize::from(index == 1),
            })
            .collect();
        let mut order: Vec<&Cell> = cells.iter().collect();
        order.sort_by(|a, b| a.summary.median.total_cmp(&b.summary.median));
        if shape.better == Better::Higher {
            order.reverse();
        }
        let apart =
            order[0].summary.high < order[1].summary.low || order[0].summary.low > order[1].summary.high;
        Row {
            name: shape.name.to_owned(),
            kind: shape.kind,
            unit: shape.unit.to_owned(),
            better: shape.better,
            series: shape.curve.map(|(series, ..)| series.to_owned()),
            x: shape.curve.map(|(_, x, _)| x),
            x_label: shape.curve.map(|(.., label)| label.to_owned()),
            winner: apart.then(|| order[0].variant.clone()),
            cells,
            published: Vec::new(),
        }
    }

    fn noise(&mut self, spread: f64) -> f64 {
        (0..3).map(|_| self.random.f64() - 0.5).sum::<f64>().mul_add(2.0 * spread, 1.0)
    }

    fn runs(&mut self, command: &str, timeline: bool) -> Vec<Runs> {
        VARIANTS
            .iter()
            .zip(COST)
            .map(|(name, (time, memory))| Runs {
                variant: (*name).to_owned(),
                argv: vec![format!("/home/someone/work/{command}"), "4".to_owned()],
                samples: (0..2).map(|_| self.sample(time, memory, timeline)).collect(),
            })
            .collect()
    }

    /// One run; through JSON, as a document has it, so that fields to come need no change here.
    fn sample(&mut self, time: f64, memory: f64, timeline: bool) -> Sample {
        let points: Vec<_> = (0..if timeline { 40 } else { 0 })
            .map(|step| {
                let progress = f64::from(step) / 39.0;
                let rss = 12e6 * memory * (1.0 - (-6.0 * progress).exp()) * self.noise(0.03);
                json!([time * progress, rss as u64, (rss * 0.97) as u64])
            })
            .collect();
        serde_json::from_value(json!({
            "wall_seconds": time, "user_seconds": time * 0.9, "system_seconds": time * 0.1,
            "peak_bytes": (12e6 * memory) as u64, "final_bytes": (9e6 * memory) as u64,
            "minor_faults": 900, "major_faults": 0, "voluntary_switches": 12, "involuntary_switches": 3,
            "metrics": { "operations_per_second": 1e6 / time }, "timeline": points,
        }))
        .unwrap()
    }

    fn case(&mut self, suite: &str, name: &str, rows: Vec<Row>, timeline: bool) -> CaseResult {
        CaseResult {
            name: name.to_owned(),
            command: format!("brawn bench {suite} --case '{name}'"),
            runs: self.runs(name, timeline),
            rows,
            warnings: Vec::new(),
        }
    }
}

fn suite(name: &str, title: &str, about: &str, cases: Vec<CaseResult>) -> SuiteResult {
    SuiteResult {
        name: name.to_owned(),
        title: title.to_owned(),
        about: about.to_owned(),
        skipped: None,
        notes: Vec::new(),
        cases,
    }
}

/// The document.
pub fn results() -> Results {
    // Its intervals take a while.
    static RESULTS: LazyLock<Results> = LazyLock::new(draw);
    RESULTS.clone()
}

fn draw() -> Results {
    let mut figures = Figures { random: fastrand::Rng::with_seed(3) };
    Results {
        schema: SCHEMA,
        brawn: "0.1.0".into(),
        command: "brawn bench all --seed 7".into(),
        date: "2026-11-21".into(),
        seed: 18_446_744_073_709_551_557,
        settings: Settings {
            budget_seconds: 20.0,
            precision: 0.01,
            min_blocks: 5,
            max_blocks: 60,
            cores: vec![],
            quota: None,
        },
        machine: machine(),
        noise: Some(Noise { ratio: Summary::of(&[0.997, 1.002, 1.004]).unwrap(), resolution: 0.012 }),
        versions: BTreeMap::from([("rustc".into(), "1.95.0".into()), ("musl".into(), "1.2.5".into())]),
        variants: VARIANTS
            .iter()
            .zip([
                "glibc 2.36, dynamic",
                "musl 1.2.5",
                "musl 1.2.5 with Brawn's own heap and string functions",
                "mimalloc 3.6.0",
                "odd",
            ])
            .map(|(name, title)| VariantInfo::new(*name, title))
            .collect(),
        suites: vec![
            threads(&mut figures),
            strings(&mut figures),
            stream(&mut figures),
            malloc(&mut figures),
            startup(&mut figures),
            footprint(&mut figures),
            skipped("nginx", "nginx under load", "there is no wrk on this machine", "apt-get install wrk"),
            wasmtime(&mut figures),
        ],
        complete: true,
        finding: None,
    }
}

fn machine() -> Machine {
    let mut machine = Machine::read();
    machine.architecture = "x86_64".into();
    machine.processor = "Example 9000 8-Core Processor".into();
    machine.cores = 8;
    machine.memory_bytes = 16 << 30;
    machine.kernel = "6.1.0".into();
    machine.system = "Some Linux 12".into();
    machine.huge_pages = "madvise".into();
    machine.load = 0.2;
    machine
}

fn threads(figures: &mut Figures) -> SuiteResult {
    let mut cases = Vec::new();
    for threads in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0_f64] {
        let rate = Shape::rate("operations", "/s").on("operations", threads, "threads");
        let memory = Shape::memory("peak memory").on("peak memory", threads, "threads");
        let mut row = figures.row(&rate, 8e7 * threads.sqrt(), 0.5 + threads.log2() / 2.0);
        if threads == 32.0 {
            let source = "https://example.org/vec-loop";
            row.published = [("a blog, stock musl", 0.028), ("a blog, musl with mimalloc", 0.66)]
                .map(|(label, ratio)| Published {
                    label: label.into(),
                    value: 4.5e5,
                    ratio: Some(ratio),
                    source: source.into(),
                })
                .into();
        }
        let rows = vec![row, figures.row(&memory, 2e6 * threads, 1.0)];
        cases.push(figures.case("threads", &format!("threads={threads}"), rows, threads == 8.0));
    }
    cases[0].warnings.push("2 of 12 samples of `stock` lie far outside: close other programs".into());
    suite("threads", "Allocation on many threads", "Every thread makes and drops vectors in a loop.", cases)
}

fn strings(figures: &mut Figures) -> SuiteResult {
    let mut cases = Vec::new();
    for (index, function) in ["memcpy", "memmove", "strlen", "strcmp"].into_iter().enumerate() {
        let fixed = [36.0, 132.0, 4100.0].map(|size: f64| {
            let name = format!("{function} {size}");
            figures.row(&Shape::time(&name, "ns"), 1.5 + size / 90.0, 0.6 + 0.2 * index as f64)
        });
        let curve = (0..=20).step_by(2).map(|power: i32| {
            let size = f64::from(1 << power);
            let name = format!("{function} curve {size}");
            figures.row(
                &Shape::time(&name, "ns").on(function, size, "bytes"),
                1.2 + size / 60.0,
                0.2 + f64::from(power) / 20.0,
            )
        });
        let rows = fixed.into_iter().chain(curve.collect::<Vec<_>>()).collect();
        cases.push(figures.case("strings", function, rows, false));
    }
    suite("strings", "String functions", "Nanoseconds a call at fixed sizes, and over all sizes.", cases)
}

fn stream(figures: &mut Figures) -> SuiteResult {
    let rows =
        ["Copy", "Scale", "Add", "Triad"].map(|name| figures.row(&Shape::rate(name, "MB/s"), 21_000.0, 0.0));
    let case = figures.case("stream", "arrays=128MiB", rows.into(), false);
    suite("stream", "Memory bandwidth", "Arrays beyond the last cache.", vec![case])
}

fn malloc(figures: &mut Figures) -> SuiteResult {
    let names =
        ["alloc-test 1", "alloc-test 4", "larson", "xmalloc", "cache-scratch", "<img src=x> & \"co\" 'x'"];
    let cases = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let rows = vec![
                figures.row(&Shape::time("time", "s"), 0.4 + index as f64, 0.4 + 0.1 * index as f64),
                figures.row(&Shape::memory("peak memory"), 3e7, 0.5),
                figures.row(&Shape { kind: Kind::Other, ..Shape::time("page faults", "count") }, 9000.0, 0.8),
            ];
            figures.case("malloc", name, rows, index < 2)
        })
        .collect();
    suite("malloc", "Allocators", "Our own programs with the behaviour of the classical ones.", cases)
}

fn startup(figures: &mut Figures) -> SuiteResult {
    let rows = vec![
        figures.row(&Shape::time("time", "s"), 531e-6, -0.3),
        figures.row(&Shape::memory("peak memory"), 1.6e6, 1.0),
    ];
    let case = figures.case("startup", "empty program", rows, false);
    let mut suite = suite("startup", "Start and end", "From exec to exit.", vec![case]);
    suite.notes.push("the kernel does not let this user count system calls".into());
    suite
}

fn footprint(figures: &mut Figures) -> SuiteResult {
    let mut cases = Vec::new();
    for threads in [1.0, 4.0, 16.0, 40.0_f64] {
        let rows = vec![
            figures.row(
                &Shape::rate("requests", "/s").on("requests", threads, "threads"),
                4e5 * threads.sqrt(),
                0.7,
            ),
            figures.row(
                &Shape::memory("idle memory").on("idle memory", threads, "threads"),
                4e5 * threads,
                1.0,
            ),
        ];
        cases.push(figures.case("footprint", &format!("threads={threads}"), rows, true));
    }
    suite("footprint", "Memory of a service", "The request mix, and a second after it.", cases)
}

fn wasmtime(figures: &mut Figures) -> SuiteResult {
    let mut row = figures.row(&Shape::time("time", "s"), 26.5, 0.35);
    row.published = vec![Published {
        label: "Tweag, stock musl".into(),
        value: 92.16,
        ratio: Some(20.7),
        source: "https://example.org/wasmtime".into(),
    }];
    let rows = vec![row, figures.row(&Shape::memory("peak memory"), 1.79e9, 0.2)];
    let case = figures.case("wasmtime", "yosys.wasm", rows, true);
    suite("wasmtime", "Compiling WebAssembly", "wasmtime compiles a large module.", vec![case])
}

fn skipped(name: &str, title: &str, reason: &str, hint: &str) -> SuiteResult {
    let skipped = Some(Skipped { reason: reason.into(), hint: hint.into() });
    SuiteResult { skipped, ..suite(name, title, "A server and its client.", Vec::new()) }
}
