//! Compiles a C++ file as `-sys` crates do: with the compiler that the environment names for the target.

fn main() {
    println!("cargo:rerun-if-changed=map.cc");
    cc::Build::new().cpp(true).std("c++17").file("map.cc").compile("map");
}
