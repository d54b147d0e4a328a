//! Threads that answer requests. Each request makes small objects and one buffer; the objects go at its end, the buffer
//! shrinks to its answer and is kept for a while, as a cache or a log of recent requests would.

use crate::common::{Block, Random, metric, race_then, report_idle_memory};

/// Small objects of a request.
const OBJECTS: usize = 48;
/// Their sizes, in bytes.
const OBJECT_SIZES: (usize, usize) = (16, 516);
/// Sizes of the buffer, in bytes.
const BUFFER_SIZES: (usize, usize) = (1024, 60 * 1024);
/// What is left of the buffer, in bytes.
const ANSWER: usize = 256;
/// Answers that a thread keeps.
const RING: usize = 64;

/// `[threads, requests of each]`
pub fn run([threads, requests]: [usize; 2]) {
    let (answers, took, ()) = race_then(threads, |index| serve(index, requests), report_idle_memory);
    let bytes: u64 = answers.iter().map(|(_, bytes)| bytes).sum();
    let kept: usize = answers.iter().flat_map(|(ring, _)| ring.iter().flatten()).map(Block::size).sum();
    println!("{threads} threads, {requests} requests each, {bytes} bytes allocated, {kept} kept");
    metric("requests_per_second", (threads * requests) as f64 / took.as_secs_f64());
}

fn serve(index: usize, requests: usize) -> ([Option<Block>; RING], u64) {
    let mut random = Random::new(index);
    let mut ring = [const { None }; RING];
    let mut bytes = 0;
    for request in 0..requests {
        let mut objects = [const { None }; OBJECTS];
        for object in &mut objects {
            let mut block = Block::new(random.between(OBJECT_SIZES.0, OBJECT_SIZES.1));
            block.touch();
            bytes += block.size() as u64;
            *object = Some(block);
        }
        let mut buffer = Block::new(random.between(BUFFER_SIZES.0, BUFFER_SIZES.1));
        bytes += buffer.size() as u64;
        buffer.resize(ANSWER);
        ring[request % RING] = Some(buffer);
    }
    (ring, bytes)
}
