//! What is shown while a registry is spoken to: a bar on a terminal for large bodies, and a line for every wait.

use std::sync::Arc;

use brawn_image::registry::{Event, Reporter};

use crate::output;

/// Bodies of so many bytes have a bar; smaller ones are there before anyone could read it.
const LARGE: u64 = 1 << 20;

/// Shows what takes time, unless it is to be quiet.
pub fn reporter(quiet: bool) -> Reporter {
    if quiet {
        return Arc::new(|_| {});
    }
    let style = "{bar:24} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
    let bar = output::bar(None, style, false);
    Arc::new(move |event| match event {
        Event::Moved { done, total } if *total >= LARGE => {
            // The next body.
            if *done < bar.position() || bar.length() != Some(*total) {
                bar.reset();
                bar.set_length(*total);
            }
            bar.set_position(*done);
        }
        Event::Ended => {
            bar.finish_and_clear();
            bar.reset();
        }
        Event::Waiting { registry, wait } => {
            let text = format!("{registry} asks to wait for {} s before another attempt", wait.as_secs());
            bar.suspend(|| output::say(&text));
        }
        _ => {}
    })
}
