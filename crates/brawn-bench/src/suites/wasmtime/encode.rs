//! Numbers, names and sections of WebAssembly's binary format.

/// A number in LEB128.
pub fn unsigned(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// A number with a sign in LEB128.
pub fn signed(mut value: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        // Done when the rest is nothing but the sign, and the sign is the last byte's highest bit.
        if (value == 0 && low & 0x40 == 0) || (value == -1 && low & 0x40 != 0) {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// A name with its length.
pub fn name(text: &str) -> Vec<u8> {
    let mut bytes = unsigned(text.len());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// One section, which is a list.
pub struct Section {
    kind: u8,
    content: Vec<u8>,
}

impl Section {
    /// A section of this kind with so many entries.
    pub fn new(kind: u8, entries: usize) -> Section {
        Section { kind, content: unsigned(entries) }
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.content.extend_from_slice(bytes);
    }

    /// Adds bytes after their number.
    pub fn sized(&mut self, bytes: &[u8]) {
        self.content.extend(unsigned(bytes.len()));
        self.bytes(bytes);
    }

    /// Writes the section to the end of a file.
    pub fn write(self, file: &mut Vec<u8>) {
        file.push(self.kind);
        file.extend(unsigned(self.content.len()));
        file.extend(self.content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_the_specification_of_leb128_has_them() {
        assert_eq!(unsigned(0), [0]);
        assert_eq!(unsigned(624_485), [0xe5, 0x8e, 0x26]);
        assert_eq!(signed(-123_456), [0xc0, 0xbb, 0x78]);
        assert_eq!(signed(63), [0x3f]);
        assert_eq!(signed(64), [0xc0, 0x00]);
        assert_eq!(signed(-64), [0x40]);
        assert_eq!(signed(i32::MIN), [0x80, 0x80, 0x80, 0x80, 0x78]);
    }
}
