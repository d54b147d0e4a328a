#!/bin/sh
# Installs brawn into ~/.local/bin, or $PREFIX/bin, out of a release's archive, after it was compared with SHA256SUMS.
# BRAWN_FROM is where the release's files are, if not on GitHub: a folder or an address.
set -eu

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

# All of it is in functions, so that half a script from a broken download does nothing.
fetch() {
    case $from in
    https://* | http://127.0.0.1:*)
        if command -v curl >/dev/null; then curl -fsSL -o "$work/$1" "$from/$1"; else wget -qO "$work/$1" "$from/$1"; fi
        ;;
    http:* | ftp:*) fail "$from is no address that is safe to fetch from" "BRAWN_FROM: https, or a folder" ;;
    *) cp "${from#file://}/$1" "$work/$1" ;;
    esac || fail "$from/$1 cannot be had" "BRAWN_FROM is the folder or the address of a release's files"
}

main() {
    version=0.1.0
    from=${BRAWN_FROM:-https://github.com/brawn-project/brawn/releases/download/v$version}
    bin=${PREFIX:-$HOME/.local}/bin
    case "$(uname -s) $(uname -m)" in
    "Linux x86_64") name=brawn-$version-x86_64-linux ;;
    "Linux aarch64" | "Linux arm64") name=brawn-$version-aarch64-linux ;;
    *) fail "there is no brawn for $(uname -s) on $(uname -m)" "it runs on Linux, on x86_64 and aarch64" ;;
    esac
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    fetch SHA256SUMS
    fetch "$name.tar.gz"
    grep " $name\.tar\.gz\$" "$work/SHA256SUMS" >"$work/sum" || fail "SHA256SUMS does not name $name.tar.gz" "are the files those of brawn $version?"
    (cd "$work" && sha256sum -c sum) >/dev/null 2>&1 || fail "$name.tar.gz is not what SHA256SUMS says" "fetch it again; do not use this one"
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
