#!/bin/sh
# Installs brawn into ~/.local/bin, or $PREFIX/bin, out of a release's archive that SHA256SUMS names.
# BRAWN_FROM is where the release's files are, if not on GitHub: a folder or an address.
set -eu

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

main() { # in a function, so that half a script from a broken download does nothing
    version=0.1.0
    from=${BRAWN_FROM:-https://github.com/brawn-project/brawn/releases/download/v$version}
    bin=${PREFIX:-$HOME/.local}/bin
    name=brawn-$version-$(uname -m | sed s/arm64/aarch64/)-$(uname -s | tr L l)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for file in SHA256SUMS "$name.tar.gz"; do
        case $from in
        https:* | http://127.0.0.1:*)
            if command -v curl >/dev/null; then curl -fsSLo "$work/$file" "$from/$file"; else wget -qO "$work/$file" "$from/$file"; fi
            ;;
        *) cp "${from#file://}/$file" "$work" ;;
        esac || fail "$from/$file cannot be had" "BRAWN_FROM is a folder or begins with https:; brawn is for Linux on x86_64 and aarch64"
    done
    (cd "$work" && grep " $name\.tar\.gz\$" SHA256SUMS >sum && sha256sum -c sum >/dev/null) ||
        fail "$name.tar.gz is not what SHA256SUMS says" "fetch it again; do not use this one"
    tar -xzf "$work/$name.tar.gz" -C "$work"
    mkdir -p "$bin"
    for program in brawn cargo-brawn; do
        cp "$work/$name/$program" "$bin/.$program.new"
        mv "$bin/.$program.new" "$bin/$program"
    done
    echo "$("$bin/brawn" -V) is $bin/brawn"
    case :$PATH: in *:"$bin":*) ;; *) echo "hint: PATH does not hold $bin" >&2 ;; esac
}

main
