//! Counts words, in as many threads as are asked for.

use std::collections::HashMap;

use pyo3::prelude::*;

#[global_allocator]
static HEAP: brawn_heap::BrawnHeap = brawn_heap::BrawnHeap;

fn count(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for word in text.split_whitespace() {
        *words.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    words
}

/// A Python module.
#[pymodule]
mod tally {
    use super::*;

    /// How often each word occurs, with as many threads as are asked for.
    #[pyfunction]
    #[pyo3(signature = (text, threads = 1))]
    fn words(py: Python<'_>, text: &str, threads: usize) -> HashMap<String, usize> {
        py.detach(|| {
            let lines: Vec<&str> = text.lines().collect();
            let parts = lines.chunks(lines.len().div_ceil(threads.max(1)).max(1));
            std::thread::scope(|scope| {
                let work: Vec<_> = parts.map(|part| scope.spawn(move || count(&part.join("\n")))).collect();
                let counted = work.into_iter().flat_map(|part| part.join().expect("counting does not panic"));
                counted.fold(HashMap::new(), |mut all, (word, times)| {
                    *all.entry(word).or_insert(0) += times;
                    all
                })
            })
        })
    }
}
