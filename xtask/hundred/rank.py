#!/usr/bin/env python3
"""Ranks programs by the rule of docs/hundred/rule.md and prints list.toml.

    xtask/hundred/rank.py CLONE >xtask/hundred/list.toml

CLONE is a repository of cargo-quickinstall with its branch `stats`. Debian's packages are those that apt on this machine
has lists of; the rule's are Debian 12's (bookworm, main, amd64).
"""

import collections
import json
import re
import subprocess
import sys

CRATES, DEBIAN, OTHERS = 50, 35, 3

# Not programs that run without a display or a device, by what they are and not by what they measure.
CRATES_OUT = {
    "alacritty": "needs a display",
}

# Sections of Debian's that hold servers, interpreters, compressors, text tools, databases and build tools. Those of others
# administer a machine, draw on a display, or need a device.
SECTIONS = {"database", "devel", "httpd", "interpreters", "math", "shells", "text", "utils", "vcs", "web"}
# Interpreters have sections of their own.
ALSO = {"perl", "python3"}
DEBIAN_OUT = {
    "gnat": "a part of gcc's source",
    "initramfs-tools": "a script",
    "autoconf": "a script",
    "libtool": "a script",
    "debianutils": "scripts, and one program of a page",
    "libcap2": "changes a machine's files",
    "lsof": "reads kernel tables",
    "fakeroot": "a library to preload",
    "fuse": "needs a device",
    "ocaml-ogg": "a library",
}
# What a metapackage stands for.
SOURCES = {"python3-defaults": "python3.11", "gcc-defaults": "gcc-12", "llvm-defaults": "llvm-toolchain-14"}


def crates(clone):
    git = ["git", "-C", clone]
    files = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", "stats", "stats/raw"], capture_output=True, text=True, check=True
    ).stdout.split()
    counts = collections.Counter()
    for file in files:
        text = subprocess.run([*git, "show", f"stats:{file}"], capture_output=True, text=True, check=True).stdout
        for key, count in json.loads(text).items():
            parts = key.split("/")
            if len(parts) == 3 and parts[2].endswith("linux-gnu"):
                counts[parts[0]] += count
    # Equal counts in the order of names, so that the list does not depend on anything else.
    return sorted(counts.items(), key=lambda it: (-it[1], it[0]))


def packages():
    lists = subprocess.run(
        ["sh", "-c", "exec /usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*_bookworm_main_binary-amd64_Packages*"],
        capture_output=True,
        check=True,
    ).stdout.decode()
    found = {}
    for paragraph in lists.split("\n\n"):
        fields, key = {}, None
        for line in paragraph.splitlines():
            if line.startswith(" "):
                fields[key] += " " + line.strip()
            else:
                key, value = line.split(":", 1)
                fields[key] = value.strip()
        if fields:
            found[fields["Package"]] = fields
    return found


def source(found, name):
    own = found[name].get("Source", name).split()[0]
    return SOURCES.get(own, own)


def users(found):
    """How many packages of other sources depend on each, recommend or suggest it."""
    counts = collections.Counter()
    for name in found:
        named = set()
        for field in ("Pre-Depends", "Depends", "Recommends", "Suggests"):
            for part in re.split("[,|]", found[name].get(field, "")):
                other = part.strip().split(" ")[0].split(":")[0]
                if other in found:
                    named.add(other)
        for other in named:
            if source(found, other) != source(found, name):
                counts[other] += 1
    return counts


def tags(found, name):
    return {tag.strip() for tag in found[name].get("Tag", "").split(",")}


def of_debian(found, counts, wanted):
    rows, seen = [], set()
    for name in sorted(found, key=lambda it: (-counts[it], it)):
        its = tags(found, name)
        graphical = any(tag.startswith(("uitoolkit::", "x11::", "interface::x11", "interface::graphical")) for tag in its)
        own = source(found, name)
        if "role::program" not in its or graphical or own in DEBIAN_OUT or not wanted(name, its):
            continue
        if own not in seen:
            seen.add(own)
            rows.append((own, name, counts[name]))
    return rows


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    print("# Written by xtask/hundred/rank.py by the rule of docs/hundred/rule.md. `users` are installs of a crate, and")
    print("# packages that name one of Debian's.")

    def row(group, rank, name, count, package=None):
        print(f"\n[[program]]\ngroup = \"{group}\"\nrank = {rank}\nname = \"{name}\"\nusers = {count}")
        if package:
            print(f"package = \"{package}\"")

    ranked = [it for it in crates(sys.argv[1]) if it[0] not in CRATES_OUT]
    for rank, (name, count) in enumerate(ranked[:CRATES], 1):
        row("crate", rank, name, count)
    found = packages()
    counts = users(found)

    def in_c(name, its):
        section = found[name]["Section"].split("/")[-1]
        in_c = its & {"implemented-in::c", "implemented-in::c++"}
        return in_c and (section in SECTIONS or name in ALSO)

    for rank, (own, package, count) in enumerate(of_debian(found, counts, in_c)[:DEBIAN], 1):
        row("debian", rank, own, count, package)

    def in_go(name, _):
        # Those that are linked with glibc: cgo took part.
        built = found[name].get("Built-Using", "") + found[name].get("Static-Built-Using", "")
        return "golang-1." in built and "libc6 " in found[name].get("Depends", "") + " "

    kinds = {
        "go": in_go,
        "ocaml": lambda _, its: "implemented-in::ocaml" in its,
        "haskell": lambda _, its: "implemented-in::haskell" in its,
    }
    for group, wanted in kinds.items():
        for rank, (own, package, count) in enumerate(of_debian(found, counts, wanted)[:OTHERS], 1):
            row(group, rank, own, count, package)


main()
