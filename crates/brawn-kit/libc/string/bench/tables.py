#!/usr/bin/env python3
"""Keeps the results of the string functions: docs/results/strings-HOLD.csv, and the tables of docs/results/strings.md.

    crates/brawn-kit/libc/string/bench/tables.py [HOLD=FILE.csv…]   takes over what `bench/run HOLD --csv FILE.csv` wrote, in one run or in
                                                   several, of all rows or of some; renews the tables
    crates/brawn-kit/libc/string/bench/tables.py --check            fails if the document does not hold the tables of the results
"""

import csv
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[5]
DOCUMENT = ROOT / "docs/results/strings.md"
BEGIN, END = "<!-- RESULTS -->\n", "<!-- end of results -->\n"
HOLDS = {"native": "AVX-512", "avx2": "AVX2", "sse2": "SSE2"}
MODES = {
    "throughput aligned": "throughput",
    "throughput unaligned": "throughput, odd addresses",
    "latency aligned": "latency",
    "latency unaligned": "latency, odd addresses",
    "random sizes": "random sizes",
}
COLD = "cold code"
# The functions of Alpaquita's tables.
ALPAQUITA = (
    "strlen strnlen wcslen wcsnlen memcmp memset memmove memmove_fw memcpy strcmp strncmp strcpy strncpy strchr strrchr"
    " memmove_nop memcpy_r"
).split()


HEAD = "function,bytes,mode,ours_ns,stock_ns,glibc_ns,glibc_static_ns,noise".split(",")


def results(hold):
    return ROOT / f"docs/results/strings-{hold}.csv"


def take_over(hold, paths):
    """Joins runs. Of a row that several have, the medians; its noise is by how much the ratio to glibc differs between them."""
    runs = defaultdict(list)
    for path in paths:
        lines = csv.reader(open(path))
        if next(lines) != HEAD:
            sys.exit(f"error: {path} is not what the benchmark writes")
        for line in lines:
            runs[tuple(line[:3])].append(line[3:])
    with open(results(hold), "w") as out:
        out.write(",".join(HEAD) + "\n")
        for row, lines in runs.items():
            times = [f"{statistics.median(map(float, column)):.4g}" for column in list(zip(*lines))[:4]]
            ratios = [float(ours) / float(glibc) for ours, _, glibc, *_ in lines]
            noise = lines[0][4] if len(lines) == 1 else f"{math.log(max(ratios) / min(ratios)):.2f}"
            out.write(",".join([*row, *times, noise]) + "\n")


class Row:
    """A row of the results; times as ratios of ours to the others'."""

    def __init__(self, fields):
        self.function, self.bytes, self.mode = fields["function"], int(fields["bytes"]), fields["mode"]
        self.noise = float(fields["noise"])
        ours = float(fields["ours_ns"])
        self.glibc, self.static, self.stock = (
            ours / float(fields[other]) for other in ("glibc_ns", "glibc_static_ns", "stock_ns")
        )


def read(hold):
    return [Row(fields) for fields in csv.DictReader(open(results(hold)))]


def means(rows):
    return [f"{mean(getattr(row, other) for row in rows):.2f}" for other in ("glibc", "static", "stock")]


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def places_lost(rows, to):
    """Where a function takes more than 1.1 of another's time, by mode."""
    lost = defaultdict(list)
    for row in rows:
        if getattr(row, to) > 1.1:
            lost[row.mode].append(row)
    parts = []
    for mode, at in lost.items():
        sizes = "" if mode == "random sizes" else " " + ", ".join(f"{row.bytes:,}" for row in at)
        parts.append(f"{MODES[mode]}{sizes} ({max(getattr(row, to) for row in at):.1f})")
    return "; ".join(parts)


def tables():
    everything = {hold: read(hold) for hold in HOLDS}
    data = {hold: [row for row in rows if row.mode != COLD] for hold, rows in everything.items()}
    functions = list(dict.fromkeys(row.function for row in data["native"]))
    sizes = sorted({row.bytes for row in data["native"]})
    text = table(
        ["held to", "rows", "of glibc", "of glibc, static", "of stock musl", "above 1.0 of glibc", "above 1.1", "above 1.1 of stock musl"],
        [
            [
                HOLDS[hold],
                f"{len(rows):,}",
                *means(rows),
                f"{sum(row.glibc > 1 for row in rows):,}",
                f"{sum(row.glibc > 1.1 for row in rows):,}",
                f"{sum(row.stock > 1.1 for row in rows):,}",
            ]
            for hold, rows in data.items()
        ],
    )
    text += "\nOf these and beside them, of glibc's, static glibc's and stock musl's time, geometric means over all functions:\n\n"
    kinds = {
        "throughput": lambda row: "throughput" in row.mode,
        "latency": lambda row: "latency" in row.mode,
        "random sizes": lambda row: row.mode == "random sizes",
        "cold instruction cache, not in the rows above": lambda row: row.mode == COLD,
    }
    text += table(
        ["mode", *HOLDS.values()],
        [
            [kind, *(" ".join(means([row for row in rows if chosen(row)])) for rows in everything.values())]
            for kind, chosen in kinds.items()
        ],
    )
    text += "\nOf glibc's time by size in bytes, geometric mean over all functions and modes (0 counts the random sizes, too):\n\n"
    text += table(
        ["held to"] + [f"{size:,}" for size in sizes],
        [
            [HOLDS[hold]] + [f"{mean(row.glibc for row in rows if row.bytes == size):.2f}" for size in sizes]
            for hold, rows in data.items()
        ],
    )
    text += "\nAlpaquita's rows, throughput at aligned addresses, of glibc's time at 36, 132 and 4,100 bytes:\n\n"
    at = {
        hold: {(row.function, row.bytes): row for row in rows if row.mode == "throughput aligned"}
        for hold, rows in data.items()
    }
    chosen = [function for function in functions if function in ALPAQUITA]
    famous = {hold: [at[hold][f, size] for f in chosen for size in (36, 132, 4100)] for hold in HOLDS}
    text += table(
        ["function"] + list(HOLDS.values()),
        [
            [function] + [" ".join(f"{at[hold][function, size].glibc:.2f}" for size in (36, 132, 4100)) for hold in HOLDS]
            for function in chosen
        ]
        + [["geometric mean"] + [f"{mean(row.glibc for row in famous[hold]):.2f}" for hold in HOLDS]]
        + [
            ["above 1.0 by more than the noise"]
            + [str(sum(row.glibc > (1 + row.noise) * 1.005 for row in famous[hold])) for hold in HOLDS]
        ]
        + [
            ["noise: median, 90 of 100"]
            + [
                " ".join(f"{sorted(row.noise for row in famous[hold])[int(len(famous[hold]) * part)]:.2f}" for part in (0.5, 0.9))
                for hold in HOLDS
            ]
        ],
    )
    text += "\nEvery row of the benchmark, of glibc's and (in brackets) of stock musl's time, geometric mean over sizes and modes:\n\n"
    lines = []
    for function in functions:
        cells = []
        for rows in data.values():
            own = [row for row in rows if row.function == function]
            cells.append(f"{mean(row.glibc for row in own):.2f} ({mean(row.stock for row in own):.2f})")
        own = [row for row in data["native"] if row.function == function]
        lines.append([function, *cells, places_lost(own, "glibc")])
    text += table(["row", *HOLDS.values(), "above 1.1 of glibc with AVX-512 (the worst)"], lines)
    text += "\nWhere stock musl is ahead by more than a tenth, with AVX-512 (the worst):\n\n"
    behind = {f: places_lost([row for row in data["native"] if row.function == f], "stock") for f in functions}
    text += table(["row", "where"], [[function, places] for function, places in behind.items() if places])
    return text


def main():
    taken = defaultdict(list)
    for argument in sys.argv[1:]:
        hold, _, path = argument.partition("=")
        if path:
            taken[hold].append(path)
    for hold, paths in taken.items():
        take_over(hold, paths)
    document = DOCUMENT.read_text()
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    renewed = before + BEGIN + "\n" + tables() + "\n" + END + after
    if "--check" not in sys.argv:
        DOCUMENT.write_text(renewed)
    elif renewed != document:
        sys.exit("error: docs/results/strings.md quotes old results\nhint: crates/brawn-kit/libc/string/bench/tables.py")


main()
