//! What build systems must be told to compile for another system: programs of the build come from this machine, and
//! libraries, headers and packages do not, because this machine's are made for its own libc.

use std::ffi::OsString;
use std::path::Path;

use brawn_base::Code;
use brawn_base::text::{is_hidden, shown};
use serde_json::json;

use crate::exit::{Failure, Result};

/// What there is to tell.
pub struct Toolchain {
    arch: String,
    /// Each compiler's command: what was asked for beside the target is handed to it in the environment.
    c: Vec<String>,
    cxx: Vec<String>,
    /// Where pkg-config looks, if not where it does unasked.
    packages: Option<String>,
    /// Whether what is built runs on this machine.
    runs_here: bool,
}

impl Toolchain {
    /// Of these compilers. An error names a path that no build system could be told.
    pub fn new(
        triple: &str,
        [c, cxx]: [&Path; 2],
        settings: &[(String, OsString)],
        packages: Option<String>,
        runs_here: bool,
    ) -> Result<Toolchain> {
        let mut command: Vec<String> = Vec::new();
        for (name, value) in settings {
            command.push(plain(Path::new(&format!("{name}={}", plain(Path::new(value))?)))?.to_owned());
        }
        if !command.is_empty() {
            command.insert(0, "/usr/bin/env".to_owned());
        }
        let command = |path: &Path| -> Result<Vec<String>> {
            Ok(command.iter().cloned().chain([plain(path)?.to_owned()]).collect())
        };
        let arch = triple.split('-').next().unwrap_or_default().to_owned();
        Ok(Toolchain { arch, c: command(c)?, cxx: command(cxx)?, packages, runs_here })
    }

    /// A toolchain file for CMake.
    pub fn cmake(&self) -> String {
        let list = |words: &[String]| {
            words.iter().map(|word| format!("[==[{word}]==]")).collect::<Vec<_>>().join(" ")
        };
        let packages = self
            .packages
            .as_ref()
            .map(|folders| format!("set(ENV{{PKG_CONFIG_LIBDIR}} [==[{folders}]==])\n"))
            .unwrap_or_default();
        format!(
            "set(CMAKE_SYSTEM_NAME Linux)\n\
             set(CMAKE_SYSTEM_PROCESSOR {})\n\
             set(CMAKE_C_COMPILER {})\n\
             set(CMAKE_CXX_COMPILER {})\n\
             set(CMAKE_POSITION_INDEPENDENT_CODE ON)\n\
             set(BUILD_SHARED_LIBS OFF CACHE BOOL \"the executable is static\")\n\
             set(CMAKE_FIND_LIBRARY_SUFFIXES .a)\n\
             set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\n\
             set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)\n\
             set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)\n\
             set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)\n\
             {packages}",
            self.arch,
            list(&self.c),
            list(&self.cxx)
        )
    }

    /// Presets for CMake (3.21 or newer), as `CMakeUserPresets.json`: the paths are this machine's.
    pub fn presets(&self) -> Result<String> {
        let words = [self.c.join(";"), self.cxx.join(";")];
        if let Some(text) = words.iter().find(|text| text.contains('$')) {
            return Err(refused("CMake's presets", text, "$ begins a name in them"));
        }
        let environment = self.packages.as_ref().map(|folders| json!({ "PKG_CONFIG_LIBDIR": folders }));
        let presets = json!({
            "version": 3,
            "configurePresets": [{
                "name": "brawn",
                "displayName": "static, by Brawn",
                "binaryDir": "${sourceDir}/build/brawn",
                "cacheVariables": {
                    "CMAKE_BUILD_TYPE": "Release",
                    "CMAKE_SYSTEM_NAME": "Linux",
                    "CMAKE_SYSTEM_PROCESSOR": self.arch,
                    "CMAKE_C_COMPILER": words[0],
                    "CMAKE_CXX_COMPILER": words[1],
                    "CMAKE_POSITION_INDEPENDENT_CODE": "ON",
                    "BUILD_SHARED_LIBS": "OFF",
                    "CMAKE_FIND_ROOT_PATH_MODE_PROGRAM": "NEVER",
                    "CMAKE_FIND_ROOT_PATH_MODE_LIBRARY": "ONLY",
                    "CMAKE_FIND_ROOT_PATH_MODE_INCLUDE": "ONLY",
                    "CMAKE_FIND_ROOT_PATH_MODE_PACKAGE": "ONLY",
                },
                "environment": environment.unwrap_or_else(|| json!({})),
            }],
            "buildPresets": [{ "name": "brawn", "configurePreset": "brawn" }],
        });
        crate::output::pretty(&presets)
    }

    /// A cross file for Meson.
    pub fn meson(&self) -> String {
        let word = |text: &str| format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"));
        let list = |words: &[String]| {
            format!("[{}]", words.iter().map(|text| word(text)).collect::<Vec<_>>().join(", "))
        };
        let packages = self
            .packages
            .as_ref()
            .map(|folders| {
                let folders: Vec<String> = folders.split(':').map(str::to_owned).collect();
                format!("pkg_config_libdir = {}\n", list(&folders))
            })
            .unwrap_or_default();
        format!(
            "[binaries]\n\
             c = {}\n\
             cpp = {}\n\
             ar = 'ar'\n\
             strip = 'strip'\n\
             pkg-config = 'pkg-config'\n\n\
             [built-in options]\n\
             default_library = 'static'\n\
             prefer_static = true\n\
             b_staticpic = true\n\n\
             [properties]\n\
             needs_exe_wrapper = {}\n\
             {packages}\n\
             [host_machine]\n\
             system = 'linux'\n\
             cpu_family = {arch}\n\
             cpu = {arch}\n\
             endian = 'little'\n",
            list(&self.c),
            list(&self.cxx),
            !self.runs_here,
            arch = word(&self.arch),
        )
    }
}

/// A text that a build system can be told: it has no escapes for what a terminal must not be shown.
fn plain(path: &Path) -> Result<&str> {
    let plain = path.to_str().filter(|text| !text.contains(is_hidden));
    plain.ok_or_else(|| refused("a build system", &shown(path).to_string(), "choose another BRAWN_CACHE_DIR"))
}

fn refused(who: &str, text: &str, reason: &str) -> Failure {
    Failure::new(Code::Failed, format!("{who} cannot be told of {text}: {reason}"))
}
