fn main() {
    let args: Vec<String> = std::env::args().collect();
    let data = std::fs::read(&args[1]).unwrap();
    let t = std::time::Instant::now();
    let g = brawn_graft::graft(&data, &brawn_graft::Choice::default()).unwrap();
    eprintln!("{:?} {} -> {}", t.elapsed(), data.len(), g.file.len());
    for row in &g.report.functions { if args.len() > 3 || row.refused.is_some() { eprintln!("{} {:?} {:#x} {:?}", row.family, row.names, row.address, row.refused); } }
    std::fs::write(&args[2], &g.file).unwrap();
    assert!(brawn_graft::restore(&g.file).unwrap() == data);
}
