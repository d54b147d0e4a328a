//! The compiled objects that Brawn puts into a libc.a
