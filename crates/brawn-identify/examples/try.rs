#![allow(missing_docs)]
use brawn_elf::Image;
fn main() {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("extract") => {
            let out = args.next().unwrap();
            let arch = args.next().unwrap();
            let arch = brawn_elf::Arch::from_name(&arch).unwrap();
            let mut all = brawn_identify::Signatures::empty(arch);
            for arg in args {
                let (label, file) = arg.split_once('=').unwrap();
                let set = brawn_identify::extract(&fs_err::read(file).unwrap(), label).unwrap();
                println!("{label} {} {}", set.archives[0].version, set.functions.len());
                all.add(&set);
                println!("  {}", all.functions.len());
            }
            all.sort();
            fs_err::write(out, all.to_text()).unwrap();
        }
        Some("find") => {
            for file in args {
                let data = fs_err::read(&file).unwrap();
                let image = Image::parse(&data).unwrap();
                let _ = brawn_identify::carried(brawn_elf::Arch::from_elf_machine(image.machine).unwrap());
                let begun = std::time::Instant::now();
                match brawn_identify::examine(&image, &[]) {
                    Ok(found) => {
                        println!(
                            "{file}: {} functions, {:?} {:?}, {:?}",
                            found.functions.len(),
                            found.versions,
                            found.builds,
                            begun.elapsed()
                        );
                        for f in &found.functions {
                            println!(
                                "{:x} {} {} {:?}",
                                f.address,
                                f.size,
                                f.names.join(","),
                                f.confirmations
                            );
                        }
                        for f in &found.ambiguous {
                            println!("? {} {}", f.names.join(","), f.reason);
                        }
                        for f in &found.data {
                            println!("data {:x} {}", f.address, f.name);
                        }
                    }
                    Err(error) => println!("{file}: {error} {:?}", begun.elapsed()),
                }
            }
        }
        _ => {}
    }
}
