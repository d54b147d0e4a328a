//! The programs of the study: no one here wrote them, and each stands for a kind of its own.

/// A program, where it comes from, and what it does.
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// What it stands for, and what it does here.
    pub about: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// Memory that it may hold.
    pub limit: &'static str,
    /// How many times as long as others it is tuned: what runs long, or varies, needs more time for as many blocks.
    pub share: f64,
    /// Options of `brawn tune`. `{work}` stands for the study's folder, `{sources}` for the crates that serve as input.
    pub options: &'static [&'static str],
    /// Its arguments.
    pub args: &'static [&'static str],
}

/// Where a program comes from.
pub enum Origin {
    /// A crate of the registry: its version, the name of its executable, and more arguments of cargo.
    Crate(&'static str, &'static str, &'static [&'static str]),
    /// A Debian source: package, file, SHA-256; the arguments of make; and the executables, that which is tuned first.
    Debian([&'static str; 3], &'static [&'static str], &'static [&'static str]),
}

/// Every program of the study.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "leptosfmt",
        about: "Compiler-like: parses Rust sources into syntax trees, on all cores. It checks the format of the sources of its \
                own dependencies, those from C to G.",
        origin: Origin::Crate("0.1.33", "leptosfmt", &[]),
        limit: "128MiB",
        share: 1.0,
        options: &["--dir", "{sources}", "--output", "sorted", "--ignore-lines", "Checked "],
        args: &["--check", "[c-g]*/**/*.rs"],
    },
    Program {
        name: "redis",
        about: "Server: a store of small values in memory, under the load of its own benchmark (set, get, lpush, hset).",
        origin: Origin::Debian(
            [
                "redis",
                "redis_7.0.15.orig.tar.gz",
                "4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982",
            ],
            // Both in the one folder: the Makefile above it would start a make for each, and these get in each other's way.
            &["-C", "src", "MALLOC=libc", "CC={cc}", "redis-server", "redis-benchmark"],
            &["src/redis-server", "src/redis-benchmark"],
        ),
        limit: "128MiB",
        share: 1.6,
        options: &["--serve", "--ready", "{port}", "--idle", "100ms", "--load", REDIS_LOAD],
        args: &["--port", "{port}", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    },
    Program {
        name: "tokei",
        about: "Data tool with threads: counts the lines of those sources by language, but those for Windows, with four threads on one core.",
        origin: Origin::Crate("12.1.2", "tokei", &[]),
        limit: "64MiB",
        share: 1.0,
        options: &["--dir", "{sources}", "--cpus", "1", "--threads", "4"],
        args: &["--sort", "code", "--exclude", "*.json", "--exclude", "windows*", "."],
    },
    Program {
        name: "lua",
        about: "C program: an interpreter whose every string, table and closure is a block of memory.",
        origin: Origin::Debian(
            [
                "lua5.4",
                "lua5.4_5.4.4.orig.tar.gz",
                "164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61",
            ],
            &["posix", "CC={cc} -std=gnu99"],
            &["src/lua"],
        ),
        limit: "64MiB",
        share: 0.8,
        options: &["--cpus", "1"],
        args: &["{work}/work.lua", "1", "half"],
    },
    Program {
        name: "jaq",
        about: "Short-lived command-line tool: reads a JSON document of 2 MB, groups and sums it.",
        // By default it brings an allocator of its own, as Brawn tells anyone who builds it.
        origin: Origin::Crate("2.3.0", "jaq", &["--no-default-features"]),
        limit: "64MiB",
        share: 0.8,
        options: &["--cpus", "1"],
        args: &[
            "group_by(.group) | map({group: .[0].group, sum: (map(.value) | add)}) | length",
            "{work}/input.json",
        ],
    },
];

/// The program that runs about a second, and with which arguments: how long an answer takes is measured with it.
pub const SECOND: (&str, &[&str]) = ("lua", &["{work}/work.lua", "2"]);

/// A program of our own that shows one thing.
pub struct Case {
    /// Its name, which is that of its source in `cases/`.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// The allocator that it is linked with.
    pub malloc: &'static str,
    /// Options of `brawn tune`.
    pub options: &'static [&'static str],
}

/// The name of the case whose allocator breaks the limit.
pub const OVER_LIMIT: &str = "pool";

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: OVER_LIMIT,
        about: "Forty workers that each build and drop 12 MiB once, on a heap that keeps them all, where 384 MiB are allowed.",
        malloc: "mimalloc2",
        options: &["--goal", "time", "--limit", "384MiB", "--budget", "30s"],
    },
    Case {
        name: "primes",
        about: "A sieve in a table of its own: a program that hardly allocates.",
        malloc: "jemalloc",
        options: &["--goal", "time", "--budget", "30s"],
    },
];

/// The mean of the rates, and of the latencies in the 99th percentile, of its own benchmark's table.
const REDIS_LOAD: &str = "'{work}/redis/src/redis-benchmark' -p {port} -t set,get,lpush,hset -n 40000 -c 50 -P 16 -d 200 -r 100000 \
                          --csv | awk -F'\"' 'NR>1 && $4>0 { t+=1/$4; l+=$14; n++ } END { if (!n) exit 1; printf \"metric \
                          requests_per_second %f\\nmetric latency_p99_seconds %f\\n\", n/t, l/n/1000 }'";

/// What the interpreter runs.
pub const LUA: &str = include_str!("../../../crates/brawn-bench/workloads/lua/work.lua");
