//! From `exec` to `main` to the end: what every short-lived program pays before and after its work.

use brawn_measure::results::{Better, Kind};
use brawn_measure::{Session, Variant};

use crate::{Case, Context, Error, Figure, Prepared, RowSpec, Suite};

/// Case, what it is called on disk, and source.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("bare", "startup-bare", include_str!("../../workloads/startup/bare.rs")),
    ("empty", "startup-empty", include_str!("../../workloads/startup/empty.rs")),
    ("print", "startup-print", include_str!("../../workloads/startup/print.rs")),
];

const LAUNCHER: &str = include_str!("../../workloads/startup/launch.rs");

/// Starts in one run of the launcher: a tenth of a second or less.
const STARTS: usize = 100;

/// `startup`
pub const SUITE: Suite = Suite {
    name: "startup",
    title: "Starting and ending",
    about: "A program from exec to main to its end: `bare` is what an empty C program is, `empty` an empty Rust program, \
         `print` one that prints a line. Time per start is the median over many starts by one launcher, the same for \
         every variant; system calls, pages touched and peak memory are those of a single start.",
    quick: true,
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let mut prepared = Prepared::default();
    prepared.notes.push(
        "Alpaquita's published start-up table is about booting a whole system, so it is not set beside these."
            .into(),
    );
    for (index, (case, name, source)) in PROGRAMS.iter().enumerate() {
        let programs = context.workshop.rust_program(name, source, context.flavours)?;
        prepared.note_missing(&programs);
        // One launcher for all, so that only what it starts differs.
        let baseline = &programs.each[..1];
        let flavours: Vec<_> = baseline.iter().map(|(flavour, _)| flavour.clone()).collect();
        let launcher = context.workshop.rust_program("startup-launch", LAUNCHER, &flavours)?;
        let launcher = &launcher.each[0].1;
        let launched = programs.each.iter().map(|(flavour, program)| {
            Variant::new(&flavour.name, launcher).arg(program).arg(STARTS.to_string())
        });
        let time = Figure::metric("seconds_per_start");
        let row = RowSpec::metric("seconds_per_start", Kind::Time, "s", Better::Lower);
        prepared.cases.push(
            Case::new(format!("{case}, {STARTS} starts"), launched.collect())
                .watch([time])
                .share(0.5)
                .row(row.named("time per start")),
        );
        // The others differ from an empty program in their time only.
        if context.options.quick && index > 0 {
            continue;
        }
        let counts = [
            RowSpec::new(Figure::SystemCalls),
            RowSpec::new(Figure::MinorFaults).named("pages touched"),
            RowSpec::new(Figure::Peak),
        ];
        prepared.cases.push(
            Case::new(*case, programs.variants(|variant| variant))
                .watch([Figure::MinorFaults])
                .share(0.1)
                .session(|session| Session { count_system_calls: true, ..session })
                .rows(counts),
        );
    }
    Ok(prepared)
}
