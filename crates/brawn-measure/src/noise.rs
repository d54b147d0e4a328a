//! The noise self-test: the same executable twice, measured like two variants. Whatever difference it finds is none.

use std::path::Path;

use crate::results::Noise;
use crate::{Error, Outcome, Session, Stop, Summary, Variant};

/// Measures a program against a copy of itself; both are put into `folder`, from where programs can be executed. The
/// first of the figures that the session watches is the one that counts.
///
/// # Errors
/// Those of a session; [`Error::Interrupted`] when it was interrupted, and [`Error::Empty`] when the program does not
/// have the figure.
pub fn measure(variant: &Variant, folder: &Path, session: &Session) -> Result<Noise, Error> {
    let folder = tempfile::Builder::new()
        .prefix("noise-")
        .tempdir_in(folder)
        .map_err(|source| Error::writing(folder, source))?;
    let copy = |name: &str| -> Result<Variant, Error> {
        let program = folder.path().join(name);
        fs_err::copy(&variant.program, &program).map_err(|source| Error::writing(folder.path(), source))?;
        Ok(Variant { name: name.to_owned(), program, ..variant.clone() })
    };
    let outcome = session.run(&[copy("one")?, copy("two")?])?;
    if outcome.stop == Stop::Interrupted {
        return Err(Error::Interrupted);
    }
    judge(&outcome).ok_or(Error::Empty)
}

/// The noise in an outcome of two variants that are the same.
fn judge(outcome: &Outcome) -> Option<Noise> {
    let figure = outcome.session.watched.first()?;
    let [one, two] = outcome.measured.as_slice() else { return None };
    let ratio = Summary::of_ratios(&figure.values(two)?, &figure.values(one)?)?;
    Some(Noise { ratio, resolution: ratio.resolution() })
}

/// What to tell a reader who wants to see differences of `wanted` (0.02 for two percent); none when this machine shows
/// them.
pub fn advice(noise: &Noise, wanted: f64) -> Option<String> {
    (noise.resolution > wanted).then(|| {
        format!(
            "the same program measured twice differs by up to {:.1} % on this machine, so a difference of {:.1} % is not \
             to be seen: end other programs, hold the clock rate still (`cpupower frequency-set -g performance`), use a \
             machine of your own, or raise the time budget",
            noise.resolution * 100.0,
            wanted * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measured, Sample};

    fn noise(one: &[f64], two: &[f64]) -> Noise {
        let measured = |walls: &[f64]| {
            let mut measured = Measured::new(Variant::new("same", "program"));
            let sample = |&wall_seconds: &f64| Sample { wall_seconds, ..Sample::default() };
            measured.samples = walls.iter().map(sample).collect();
            measured
        };
        judge(&Outcome::new(Session::new(1), vec![measured(one), measured(two)])).unwrap()
    }

    #[test]
    fn a_quiet_machine_resolves_small_differences() {
        let quiet = noise(&[1.0; 6], &[1.001, 0.999, 1.0, 1.0, 1.002, 0.998]);
        assert!(quiet.resolution < 0.003, "{quiet:?}");
        assert_eq!(advice(&quiet, 0.02), None);
    }

    #[test]
    fn a_noisy_or_biased_one_does_not_and_says_so() {
        let noisy = noise(&[1.0; 6], &[1.1, 0.9, 1.2, 1.0, 0.8, 1.0]);
        assert!(noisy.resolution > 0.1, "{noisy:?}");
        assert!(advice(&noisy, 0.02).unwrap().contains("a difference of 2.0 % is not to be seen"));
        let biased = noise(&[1.0; 6], &[1.05; 6]);
        assert!((biased.resolution - 0.05).abs() < 1e-9, "a narrow interval beside 1 resolves nothing");
    }
}
