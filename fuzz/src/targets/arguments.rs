//! Arguments of linkers and compiler drivers in response files.

use brawn_link::line::{Line, join_response, split_response};

use crate::rarely;

pub fn seeds() -> Vec<Vec<u8>> {
    let seeds = [
        "-static-pie -Wl,-O1,-L,/a -L/b -L /c -Wl,-z,stack-size=1 -lc -l ssl a.o \"b c.o\" 'd' -oout",
        "-flavor gnu -static --no-dynamic-linker --library-path=/b --library=c /usr/lib/libc.a -o out -Xlinker -r",
        "\"-o\"\n\"a\\\\b\"\n--output=x -shared",
    ];
    seeds.map(|text| text.as_bytes().to_vec()).into()
}

pub fn read(data: &[u8]) {
    let words = split_response(&String::from_utf8_lossy(data));
    assert_eq!(split_response(&join_response(&words)), words, "a response file reads as it was written");
    let line = Line::of(words);
    let _ = (line.is_static_executable(), line.wants_libc(), line.libc_argument(), line.output());
    let _ = (line.search_dirs(), line.libraries(), line.sets_stack_size(), line.front());
    // These look for files.
    if rarely(data, 64) {
        let _ = (line.inputs(), line.libc());
    }
}
