//! Prints a greeting for each name, from memory that it allocates:
//!
//!     brawn build --release
//!     target/x86_64-unknown-linux-musl/release/hello-rust World

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let greetings: Vec<String> = names.iter().map(|name| format!("Hello, {name}!")).collect();
    println!("{}", greetings.join("\n"));
}
