//! Compiles a C++ file as `-sys` crates do: with the compiler that the environment names for the target.

fn main() {
    println!("cargo:rerun-if-changed=map.cc");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").file("map.cc");
    if cfg!(feature = "last") {
        // As `hunspell-sys` does: then rustc asks for it behind the C library.
        build.cpp_link_stdlib(None);
        println!("cargo:rustc-link-lib=dylib=stdc++");
    }
    build.compile("map");
}
