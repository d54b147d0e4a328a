//! `brawn` as its users run it: one module for each command or concern, one executable for all.

mod common;

mod bench;
mod build;
mod builds;
mod cache;
mod cargo;
mod cc;
mod check;
mod check_ends;
mod compilers;
mod cxx;
mod doctor;
mod empty;
mod env;
mod families;
mod fleet;
mod graft;
mod guides;
mod hostile;
mod image;
mod init;
mod knobs;
mod modules;
mod musls;
#[path = "../../../../tests/once.rs"]
mod once;
mod options;
mod overlay;
mod patch;
mod preload;
mod real_programs;
mod reference;
mod refusals;
mod release;
mod second_heap;
mod shared_options;
mod strings;
mod tune;
mod unwinding;
mod verify;
