//! What `brawn verify` was asked for, as requirements for an executable's note.

use brawn_elf::{Expectation, FUNCTIONS, KNOB, Requirement, SecondHeap};
use brawn_libc::choice::LEVEL_KNOB;
use brawn_libc::{Choice, Malloc};

use crate::Error;
use crate::settings::Settings;
use crate::toolchain::musl_arch;

impl Settings {
    /// Holds an executable to these settings, which should be those that were [asked for](Settings::asked).
    ///
    /// A preset stands for all that `build` would make of it with the same settings: allocator, knobs, string functions.
    /// Without one, only what is named has to be so.
    ///
    /// # Errors
    /// Names and values that do not exist.
    pub fn requirements(&self) -> Result<Expectation, Error> {
        let gate = self.gate();
        let mut expectation = Expectation {
            arch: self.target().map(musl_arch).transpose()?,
            second_heap: if gate.allow_second_heap { SecondHeap::Allowed } else { SecondHeap::Refused },
            strict: gate.strict,
            ..Expectation::default()
        };
        let choice = match self.first(|layer| layer.preset.as_ref().or(layer.malloc.as_ref())) {
            Some(_) => Some(self.choice()?),
            None => None,
        };
        let mut require = |key: &str, values: Vec<Option<String>>| {
            expectation.note.push(Requirement { key: key.to_owned(), values });
        };
        let is = |value: &str| vec![Some(value.to_owned())];
        let answer = |yes: bool| is(if yes { "yes" } else { "no" });
        let preset = choice.as_ref().and_then(|choice| choice.preset);
        if let Some(choice) = &choice {
            require("malloc", is(choice.malloc.name()));
        }
        if let (Some(preset), Some(choice)) = (preset, &choice) {
            require("preset", is(preset.name));
            require("strings", answer(choice.strings));
            let named = self.first(|layer| layer.musl.as_ref()).is_some();
            if named || choice.families().next().is_none() {
                require(FUNCTIONS, vec![functions(choice)]);
            } else {
                // A libc.a that does not fit a family leaves it musl's: said, and no failure.
                expectation.families = choice.families().map(|family| family.name.to_owned()).collect();
            }
            require("cpu", vec![choice.cpu.map(|cpu| cpu.name().to_owned())]);
        } else {
            if let Some(strings) = self.first(|layer| layer.strings) {
                require("strings", answer(strings));
            }
            if let Some(names) = self.first(|layer| layer.musl.as_ref()) {
                let choice = Choice::default().with_musl(names.iter().map(String::as_str))?;
                require(FUNCTIONS, vec![functions(&choice)]);
                if !choice.strings {
                    require("strings", answer(false));
                }
            }
            if let Some(cpu) = self.first(|layer| layer.cpu.as_deref()) {
                Choice::default().with_cpu(cpu)?;
                require("cpu", is(cpu));
            }
        }
        let knobs = match &choice {
            Some(choice) => choice.knobs.clone(),
            None => self.knobs()?,
        };
        for (key, value) in &knobs {
            let mut values = is(value);
            // What is not written down is as it is built in.
            if choice.as_ref().is_some_and(|choice| built_in(choice.malloc, key) == Some(value)) {
                values.push(None);
            }
            require(&format!("{KNOB}{key}"), values);
        }
        expectation.no_other_knobs = preset.is_some();
        Ok(expectation)
    }

    /// The knobs that were named without an allocator: each has to be one of some allocator's.
    fn knobs(&self) -> Result<std::collections::BTreeMap<String, String>, Error> {
        let mut knobs = std::collections::BTreeMap::new();
        for (key, value) in self.layers().flat_map(|layer| &layer.knobs) {
            let owners = if key == LEVEL_KNOB { Vec::new() } else { Malloc::owners(key) };
            let tried: Result<Vec<Choice>, _> = match owners.as_slice() {
                [] => Choice::default().with_knob(key, value).map(|choice| vec![choice]),
                owners => owners.iter().map(|owner| Choice::malloc(owner)?.with_knob(key, value)).collect(),
            };
            tried?;
            knobs.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Ok(knobs)
    }
}

/// What a note says of the other functions of this choice.
fn functions(choice: &Choice) -> Option<String> {
    let names: Vec<_> = choice.families().map(|family| family.name).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

/// The value that an allocator of the kit has for a knob when none is asked for.
fn built_in(malloc: Malloc, key: &str) -> Option<&'static str> {
    let knobs = malloc.knobs()?;
    let name = key.strip_prefix(knobs.prefix)?.strip_prefix('.')?;
    Some(knobs.find(name)?.default)
}
