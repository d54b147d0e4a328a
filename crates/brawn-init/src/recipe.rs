//! How each build system builds with Brawn: the commands of the guides.

use crate::{Error, Kind, Project};

/// Commands for a shell, and what they leave.
pub struct Recipe {
    /// Commands, one a line.
    pub commands: Vec<String>,
    /// Where the executable is then, or the folder of all; a shell reads it.
    pub result: String,
    /// The image to build in, with a musl of its own, and the packages that are added.
    pub image: &'static str,
    /// The packages.
    pub packages: &'static str,
}

const TRIPLE: &str = "$(uname -m)-unknown-linux-musl";

impl Recipe {
    /// Of a project. `program` is its executable.
    pub fn of(project: &Project, program: Option<&str>) -> Result<Recipe, Error> {
        let named = || program.ok_or(Error::NoProgram { kind: project.kind.name() });
        let (lines, result, image, packages): (&[&str], String, _, _) = match project.kind {
            // `brawn build` verifies all that it hands over.
            Kind::Cargo => {
                let target = format!("rustup target add \"{TRIPLE}\"");
                let folder = format!("target/{TRIPLE}/release/{}", program.unwrap_or_default());
                let commands = vec![target, "brawn build --release".to_owned()];
                return Ok(Recipe { commands, result: folder, image: "rust:1-alpine", packages: "musl-dev" });
            }
            Kind::Maturin => (
                &[
                    "rustup target add \"$(uname -m)-unknown-linux-musl\"",
                    "eval \"$(brawn env)\"",
                    "maturin build --release --target \"$CARGO_BUILD_TARGET\" --compatibility manylinux_2_17 musllinux_1_2",
                ],
                "target/wheels".to_owned(),
                "rust:1-alpine",
                "musl-dev py3-pip",
            ),
            Kind::Go => (
                &[
                    "CGO_ENABLED=1 CC='brawn cc' go build -ldflags '-linkmode external -extldflags -static' -o out/ ./...",
                ],
                format!("out/{}", named()?),
                "golang:1-alpine",
                "build-base",
            ),
            Kind::Meson => (
                &[
                    "brawn env --format meson > brawn.ini",
                    "meson setup build --cross-file brawn.ini --buildtype release",
                    "meson compile -C build",
                ],
                format!("build/{}", named()?),
                "alpine:3.22",
                "build-base meson",
            ),
            Kind::Cmake => (
                &[
                    "brawn env --format cmake > brawn.cmake",
                    "cmake -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE=brawn.cmake",
                    "cmake --build build",
                ],
                format!("build/{}", named()?),
                "alpine:3.22",
                "build-base cmake",
            ),
            Kind::Autotools => (
                &[
                    "test -x configure || autoreconf -i",
                    "eval \"$(brawn env --make)\"",
                    "./configure --host=\"$(uname -m)-linux-musl\"",
                    "make",
                ],
                named()?.to_owned(),
                "alpine:3.22",
                "build-base autoconf automake",
            ),
        };
        let mut commands: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        if project.kind != Kind::Maturin {
            commands.push(format!("brawn verify {result}"));
        }
        Ok(Recipe { commands, result, image, packages })
    }
}
