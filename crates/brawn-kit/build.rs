//! Builds the kit: `brawn-kit-build` does it.

fn main() {
    brawn_kit_build::main();
}
