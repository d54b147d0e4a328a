//! One run of a program, from its start to its end.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::follower::{Ended, Follower};
use super::memory::Resident;
use super::sample::metrics;
use super::tracer::Tracee;
use super::{Conditions, Exit, Point, Sample, service};
use crate::statistics::geometric_mean;
use crate::{Error, Variant, pace};

/// How often an interrupt is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Reading sizes may take one hundredth of the time.
const READING_SHARE: u32 = 100;

/// Most points of a timeline: enough for a plot, little enough for a document with hundreds of runs.
const MOST_POINTS: usize = 512;

/// A finished run: its figures, its end and what it printed.
#[derive(Debug)]
pub struct Run {
    /// The figures.
    pub sample: Sample,
    /// How it ended.
    pub exit: Exit,
    /// Everything that it wrote to standard output, as an unlinked file at its start. Of a server, its client's.
    pub stdout: File,
    /// The same for standard error.
    pub stderr: File,
}

/// Runs a variant once and waits for its end, at most `limit`.
///
/// # Errors
/// As [`run_under`].
pub fn run(variant: &Variant, limit: Duration) -> Result<Run, Error> {
    run_under(variant, &Conditions::new(limit))
}

/// Runs a variant once under the given conditions and waits for its end.
///
/// The two output streams go to unlinked temporary files: a pipe would make the program wait for its reader, and
/// `/dev/null` is a special case to some programs.
///
/// # Errors
/// [`Error::Start`] when the program cannot be executed, [`Error::Timeout`], [`Error::Interrupted`],
/// [`Error::DiskFull`] when its output has no room, [`Error::Metrics`] when its output cannot be understood,
/// [`Error::OverLimit`], [`Error::System`], [`Error::File`], and those of a [`Service`](crate::Service) when it is one. An exit status other
/// than the expected one is no error here.
pub fn run_under(variant: &Variant, conditions: &Conditions) -> Result<Run, Error> {
    if let Some(service) = &variant.service {
        return service::run(variant, service, conditions);
    }
    let mut streams = Streams::open(&conditions.scratch)?;
    let command = streams.attach(variant.command(), variant.stdin.as_deref())?;
    let follower = Follower::new(false, conditions.timeline.is_some());
    let before = pace_now(conditions);
    let tracee =
        Tracee::start(&variant.program, command, conditions, move |pid, start| follower.follow(pid, start))?;
    let (pid, start) = (tracee.pid, tracee.start);
    let sizes = || Resident::read(pid);
    let mut timeline = Vec::new();
    let ended = watch(&tracee, start + conditions.limit, conditions, Some((&sizes, start)), &mut timeline)?;
    let Some(ended) = ended else {
        return Err(Error::Timeout { variant: variant.name.clone(), limit: conditions.limit });
    };
    if let Some(error) = tracee.over_limit(&variant.name, ended.sample.peak_bytes) {
        return Err(error);
    }
    drop(tracee);
    let pace = between(before, pace_now(conditions));
    streams.check(&conditions.scratch)?;
    let Ended { mut sample, exit } = ended;
    sample.pace_seconds = pace;
    sample.timeline = join(timeline, sample.timeline);
    // The output of a program that failed is not asked for figures.
    if exit == Exit::Status(variant.expected_status) {
        sample.metrics = streams.metrics(variant)?;
    }
    Ok(Run { sample, exit, stdout: streams.stdout, stderr: streams.stderr })
}

/// The machine's pace now, if it is asked for.
pub(super) fn pace_now(conditions: &Conditions) -> Option<f64> {
    conditions.pace.then(|| pace::seconds(&conditions.cores)).flatten()
}

/// The pace between two moments.
pub(super) fn between(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    geometric_mean(&[before?, after?])
}

/// How the sizes of a timeline are read, and since when their time counts.
pub(super) type Sizes<'a> = (&'a dyn Fn() -> Option<Resident>, Instant);

/// Watches a program until it ends, and notes sizes meanwhile; none when the time is up first.
pub(super) fn watch<T: Send + 'static>(
    tracee: &Tracee<T>,
    until: Instant,
    conditions: &Conditions,
    sizes: Option<Sizes<'_>>,
    timeline: &mut Vec<Point>,
) -> Result<Option<T>, Error> {
    let mut reading =
        conditions.timeline.zip(sizes).map(|(interval, sizes)| (interval, sizes, Instant::now()));
    loop {
        let now = Instant::now();
        if conditions.is_interrupted() {
            return Err(Error::Interrupted);
        }
        if let Some((interval, (sizes, start), due)) = &mut reading
            && now >= *due
        {
            timeline.extend(sizes().map(|resident| Point {
                seconds: (now - *start).as_secs_f64(),
                rss_bytes: resident.rss,
                pss_bytes: resident.pss,
            }));
            if timeline.len() >= MOST_POINTS {
                thin(timeline);
                *interval *= 2;
            }
            *due = now + (*interval).max(now.elapsed() * READING_SHARE);
        }
        let patience = conditions.interrupt.as_ref().map(|_| now + PATIENCE);
        let due = reading.as_ref().map(|(_, _, due)| *due);
        let wake = [patience, due].into_iter().flatten().fold(until, Instant::min);
        if let Some(ended) = tracee.wait(wake.saturating_duration_since(Instant::now())) {
            return ended.map(Some);
        }
        if Instant::now() >= until {
            return Ok(None);
        }
    }
}

/// The points that were read while a program ran, and the one from its end, which may be older than the last reading.
pub(super) fn join(mut timeline: Vec<Point>, end: Vec<Point>) -> Vec<Point> {
    timeline.extend(end);
    timeline.sort_by(|left, right| left.seconds.total_cmp(&right.seconds));
    timeline
}

/// Leaves every second point.
fn thin(timeline: &mut Vec<Point>) {
    let mut index = 0;
    timeline.retain(|_| {
        index += 1;
        index % 2 == 1
    });
}

/// The device `/dev/ptmx`, 5:2: who opens it has a new terminal, on which no one types.
const NEW_TERMINAL: u64 = 5 << 8 | 2;

/// What a program reads is the same in each run: a regular file, or a new terminal.
fn input(file: &Path) -> io::Result<fs_err::File> {
    let terminal = |data: Metadata| data.file_type().is_char_device() && data.rdev() == NEW_TERMINAL;
    let new = fs_err::metadata(file).is_ok_and(terminal);
    if new { fs_err::File::open(file) } else { brawn_base::file::open(file) }
}

/// The files that stand for a program's output streams.
pub(super) struct Streams {
    pub stdout: File,
    pub stderr: File,
}

impl Streams {
    pub(super) fn open(scratch: &Path) -> Result<Self, Error> {
        let open = || tempfile::tempfile_in(scratch).map_err(|source| Error::writing(scratch, source));
        Ok(Self { stdout: open()?, stderr: open()? })
    }

    pub(super) fn attach(&self, mut command: Command, stdin: Option<&Path>) -> Result<Command, Error> {
        command.stdin(match stdin {
            Some(file) => Stdio::from(input(file)?.into_parts().0),
            None => Stdio::null(),
        });
        command.stdout(self.stdout.try_clone()?).stderr(self.stderr.try_clone()?);
        Ok(command)
    }

    /// Finds out whether there was room for everything: many programs do not look whether they could write.
    pub(super) fn check(&mut self, scratch: &Path) -> Result<(), Error> {
        for file in [&mut self.stdout, &mut self.stderr] {
            let length = file.seek(SeekFrom::End(0))?;
            // More than a page, because the last page of the output may have room for a little.
            file.write_all(&[0; 8192]).map_err(|source| Error::writing(scratch, source))?;
            file.set_len(length)?;
            file.seek(SeekFrom::Start(0))?;
        }
        Ok(())
    }

    /// The figures that the program, or the client of a server, gave.
    pub(super) fn metrics(
        &self,
        variant: &Variant,
    ) -> Result<std::collections::BTreeMap<String, f64>, Error> {
        let mut found = metrics(&text(&self.stderr)?);
        if let Some(read) = variant.reader {
            let more = read(&text(&self.stdout)?, &text(&self.stderr)?)
                .map_err(|reason| Error::Metrics { variant: variant.name.clone(), reason })?;
            found.extend(more);
        }
        Ok(found)
    }
}

/// What a file holds, from its start; it is left there.
pub(super) fn text(mut file: &File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last five lines of what a program has written into this file.
///
/// # Errors
/// [`Error::File`].
pub fn last_lines(file: &File) -> Result<String, Error> {
    Ok(brawn_base::text::tail(&text(file)?, 5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_timelines_keep_their_beginning() {
        let mut timeline: Vec<Point> = (0..5).map(|second| (f64::from(second), 1, 1).into()).collect();
        thin(&mut timeline);
        assert_eq!(timeline.iter().map(|point| point.seconds).collect::<Vec<_>>(), [0.0, 2.0, 4.0]);
    }

    #[test]
    fn points_stand_in_the_order_of_time() {
        let point = |seconds| Point::from((seconds, 1, 1));
        let joined = join(vec![point(1.0), point(3.0)], vec![point(2.0)]);
        assert_eq!(joined, [point(1.0), point(2.0), point(3.0)]);
    }

    #[test]
    fn a_new_terminal_can_be_read_and_no_other_device() {
        let folder = tempfile::tempdir().unwrap();
        let streams = Streams::open(folder.path()).unwrap();
        let attached = |stdin: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", "test -t 0"]);
            streams.attach(command, Some(Path::new(stdin)))
        };
        let link = folder.path().join("terminal");
        std::os::unix::fs::symlink("/dev/ptmx", &link).unwrap();
        for terminal in ["/dev/ptmx", link.to_str().unwrap()] {
            assert!(attached(terminal).unwrap().status().unwrap().success(), "{terminal}");
        }
        assert!(attached("/dev/zero").unwrap_err().to_string().contains("a device"));
    }

    #[test]
    fn the_last_lines_are_the_last() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"1\n2\n3\n4\n5\n6\n").unwrap();
        assert_eq!(last_lines(&file).unwrap(), "2\n3\n4\n5\n6");
    }
}
