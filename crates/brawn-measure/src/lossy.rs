//! Arguments and variables as text: what is no UTF-8 is written with the replacement character.

use std::ffi::OsString;

use serde::Serializer;

pub fn lossy_list<S: Serializer>(list: &[OsString], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(list.iter().map(|text| text.to_string_lossy()))
}

pub fn lossy_pairs<S: Serializer>(pairs: &[(OsString, OsString)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key.to_string_lossy(), value.to_string_lossy())))
}
