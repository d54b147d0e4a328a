//! The files that a project gets.

use std::path::PathBuf;

use crate::recipe::Recipe;
use crate::{Error, Kind, Project, mark};

brawn_base::named! {
    /// Something that `brawn init` writes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Part {
        /// The preset, in Cargo.toml.
        Settings = "settings",
        /// A workflow of GitHub Actions.
        Github = "github",
        /// A Dockerfile whose image holds the executable alone.
        Dockerfile = "dockerfile",
    }
}

impl Part {
    /// Where it stands in a project.
    pub fn path(self) -> PathBuf {
        PathBuf::from(match self {
            Part::Settings => "Cargo.toml",
            Part::Github => ".github/workflows/brawn.yml",
            Part::Dockerfile => "Dockerfile",
        })
    }

    /// Those that a project gets when nobody asks for others.
    pub fn usual(project: &Project) -> Vec<Part> {
        let settings = (project.kind == Kind::Cargo).then_some(Part::Settings);
        settings.into_iter().chain([Part::Github]).collect()
    }

    /// Its text, with the mark. `settings` are the lines of a manifest's table, `program` is the executable.
    pub(crate) fn text(
        self,
        project: &Project,
        settings: &str,
        program: Option<&str>,
    ) -> Result<String, Error> {
        let recipe = |program| Recipe::of(project, program);
        Ok(mark::marked(&match self {
            Part::Settings => {
                if project.kind != Kind::Cargo {
                    return Err(Error::NotHere { part: self.name(), kind: project.kind.name() });
                }
                let owner = if project.is_workspace() { "workspace" } else { "package" };
                format!("[{owner}.metadata.brawn]\n{settings}")
            }
            Part::Github => github(project, &recipe(program)?),
            Part::Dockerfile => {
                if project.kind == Kind::Maturin {
                    return Err(Error::NotHere { part: self.name(), kind: project.kind.name() });
                }
                let program = program.ok_or(Error::NoProgram { kind: project.kind.name() })?;
                dockerfile(program, &recipe(Some(program))?)
            }
        }))
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn github(project: &Project, recipe: &Recipe) -> String {
    let indent = |line: &String| format!("          {line}\n");
    let tool = match project.kind {
        Kind::Cargo => "",
        Kind::Maturin => "          pip install maturin\n",
        Kind::Meson => "          pip install ziglang meson ninja\n",
        // A runner has no C compiler for musl.
        Kind::Go | Kind::Cmake | Kind::Autotools => "          pip install ziglang\n",
    };
    let commands: String = recipe.commands.iter().map(indent).collect();
    let result = recipe.result.replace("$(uname -m)", "${{ matrix.arch }}");
    format!(
        "name: brawn\n\
         on: [push, pull_request]\n\
         jobs:\n\
         \x20 static:\n\
         \x20   strategy:\n\
         \x20     matrix:\n\
         \x20       include:\n\
         \x20         - {{ arch: x86_64, runner: ubuntu-24.04 }}\n\
         \x20         - {{ arch: aarch64, runner: ubuntu-24.04-arm }}\n\
         \x20   runs-on: ${{{{ matrix.runner }}}}\n\
         \x20   steps:\n\
         \x20     - uses: actions/checkout@v4\n\
         \x20     - uses: brawn-project/brawn@v{VERSION}\n\
         \x20       with:\n\
         \x20         version: {VERSION}\n\
         \x20         environment: false\n\
         \x20     - run: |\n\
         {tool}{commands}\
         \x20     - uses: actions/upload-artifact@v4\n\
         \x20       with:\n\
         \x20         name: static-${{{{ matrix.arch }}}}\n\
         \x20         path: {result}\n"
    )
}

fn dockerfile(program: &str, recipe: &Recipe) -> String {
    let program = program.rsplit('/').next().unwrap_or_default();
    let commands = recipe.commands.join(" \\\n    && ");
    format!(
        "# The image brawn:{VERSION} is brawn-{VERSION}-image.tar of the release: docker load -i brawn-{VERSION}-image.tar\n\
         FROM brawn:{VERSION} AS brawn\n\
         FROM {} AS build\n\
         RUN apk add --no-cache {}\n\
         COPY --from=brawn /brawn /usr/local/bin/brawn\n\
         WORKDIR /src\n\
         COPY . .\n\
         RUN {commands} \\\n    && mkdir /out && cp \"{}\" /out/{program}\n\
         FROM scratch\n\
         COPY --from=build /out/{program} /{program}\n\
         ENTRYPOINT [\"/{program}\"]\n",
        recipe.image, recipe.packages, recipe.result
    )
}
