use std::collections::HashMap;

fn main() {
    let mut map = HashMap::new();
    for n in 0..1000_u64 {
        map.insert(format!("key {n}"), vec![n; 100]);
    }
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let map = map.clone();
            std::thread::spawn(move || map.values().flatten().sum::<u64>())
        })
        .collect();
    let sums: Vec<u64> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    println!("{sums:?}");
    std::panic::set_hook(Box::new(|_| {}));
    let caught = (0..3).filter(|n| std::panic::catch_unwind(|| assert!(*n > 9)).is_err()).count();
    println!("caught {caught}");
    if std::env::args().count() > 1 {
        let _ = std::panic::take_hook();
        panic!("the end");
    }
}
