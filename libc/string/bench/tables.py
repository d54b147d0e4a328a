#!/usr/bin/env python3
"""Keeps the results of the string functions: docs/results/strings-HOLD.csv, and the tables of docs/strings.md.

    libc/string/bench/tables.py [HOLD=FILE.csv…]   takes over what `bench/run HOLD --csv FILE.csv` wrote; renews the tables
    libc/string/bench/tables.py --check            fails if the document does not hold the tables of the results
"""

import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs/strings.md"
BEGIN, END = "<!-- RESULTS -->\n", "<!-- end of results -->\n"
HOLDS = {"native": "AVX-512", "avx2": "AVX2", "sse2": "SSE2"}
MODES = {
    "throughput aligned": "throughput",
    "throughput unaligned": "throughput, odd addresses",
    "latency aligned": "latency",
    "latency unaligned": "latency, odd addresses",
    "random sizes": "random sizes",
}
# The functions of Alpaquita's tables; memmove_nop and memcpy_r are calls that the rows of memmove and memcpy hold.
ALPAQUITA = (
    "strlen strnlen wcslen wcsnlen memcmp memset memmove memmove_fw memcpy strcmp strncmp strcpy strncpy strchr strrchr"
).split()


def results(hold):
    return ROOT / f"docs/results/strings-{hold}.csv"


def take_over(hold, path):
    rows = defaultdict(dict)
    for row in csv.DictReader(open(path)):
        rows[row["function"], row["bytes"], row["mode"]][row["variant"]] = float(row["ns"])
    with open(results(hold), "w") as out:
        out.write("function,bytes,mode,ours_ns,stock_ns,glibc_ns\n")
        for key, ns in rows.items():
            out.write(",".join(key) + ",{ours:.4g},{stock:.4g},{host:.4g}\n".format(**ns))


def read(hold):
    return [
        (row["function"], int(row["bytes"]), row["mode"])
        + (float(row["ours_ns"]) / float(row["glibc_ns"]), float(row["ours_ns"]) / float(row["stock_ns"]))
        for row in csv.DictReader(open(results(hold)))
    ]


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def places_lost(rows):
    """Where a function takes more than 1.1 of glibc's time, by mode."""
    lost = defaultdict(list)
    for _, size, mode, glibc, _ in rows:
        if glibc > 1.1:
            lost[mode].append((size, glibc))
    parts = []
    for mode, at in lost.items():
        sizes = "" if mode == "random sizes" else " " + ", ".join(f"{size:,}" for size, _ in at)
        parts.append(f"{MODES[mode]}{sizes} ({max(ratio for _, ratio in at):.1f})")
    return "; ".join(parts)


def tables():
    data = {hold: read(hold) for hold in HOLDS}
    functions = list(dict.fromkeys(row[0] for row in data["native"]))
    sizes = sorted({row[1] for row in data["native"]})
    text = table(
        ["held to", "rows", "of glibc", "of stock musl", "rows above 1.0 of glibc", "above 1.1", "above 1.1 of stock musl"],
        [
            [
                HOLDS[hold],
                f"{len(rows):,}",
                f"{mean(row[3] for row in rows):.2f}",
                f"{mean(row[4] for row in rows):.2f}",
                f"{sum(row[3] > 1 for row in rows):,}",
                f"{sum(row[3] > 1.1 for row in rows):,}",
                f"{sum(row[4] > 1.1 for row in rows):,}",
            ]
            for hold, rows in data.items()
        ],
    )
    text += "\nOf glibc's time by size in bytes, geometric mean over all functions and modes (0 counts the random sizes, too):\n\n"
    text += table(
        ["held to"] + [f"{size:,}" for size in sizes],
        [
            [HOLDS[hold]] + [f"{mean(row[3] for row in rows if row[1] == size):.2f}" for size in sizes]
            for hold, rows in data.items()
        ],
    )
    text += "\nAlpaquita's rows, throughput at aligned addresses, of glibc's time at 36, 132 and 4,100 bytes:\n\n"
    at = {
        hold: {(row[0], row[1]): row[3] for row in rows if row[2] == "throughput aligned"} for hold, rows in data.items()
    }
    chosen = [function for function in functions if function in ALPAQUITA]
    text += table(
        ["function"] + list(HOLDS.values()),
        [
            [function] + [" ".join(f"{at[hold][function, size]:.2f}" for size in (36, 132, 4100)) for hold in HOLDS]
            for function in chosen
        ]
        + [
            ["geometric mean"]
            + [f"{mean(at[hold][f, size] for f in chosen for size in (36, 132, 4100)):.2f}" for hold in HOLDS]
        ],
    )
    text += "\nEvery row of the benchmark, of glibc's and (in brackets) of stock musl's time, geometric mean over sizes and modes:\n\n"
    lines = []
    for function in functions:
        cells = []
        for rows in data.values():
            own = [row for row in rows if row[0] == function]
            cells.append(f"{mean(row[3] for row in own):.2f} ({mean(row[4] for row in own):.2f})")
        own = [row for row in data["native"] if row[0] == function]
        lines.append([function, *cells, places_lost(own)])
    text += table(["row", *HOLDS.values(), "above 1.1 of glibc with AVX-512 (the worst)"], lines)
    return text


def main():
    for argument in sys.argv[1:]:
        hold, _, path = argument.partition("=")
        if path:
            take_over(hold, path)
    document = DOCUMENT.read_text()
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    renewed = before + BEGIN + "\n" + tables() + "\n" + END + after
    if "--check" not in sys.argv:
        DOCUMENT.write_text(renewed)
    elif renewed != document:
        sys.exit("error: docs/strings.md quotes old results\nhint: libc/string/bench/tables.py")


main()
