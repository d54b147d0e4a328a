//! A WASI module to compile, of any size, that prints a number that is known beforehand.
//!
//! Random functions of integer arithmetic, memory accesses, branches, loops and calls are made as trees. Each is written
//! as WebAssembly and is also evaluated here, so that anyone who compiles and runs the module can be checked. The same
//! seed gives the same module, to the byte.

use super::encode::{Section, name, signed, unsigned};

/// Local variables of each function, the two parameters being the first.
const LOCALS: usize = 8;
/// The functions' own memory, in words of 32 bits; a power of two. The rest of the page is `_start`'s.
const WORDS: usize = 1024;
/// Where `_start` puts the text, in bytes.
const TEXT: i32 = 8192;
/// Where it puts what `fd_write` is told and answers.
const VECTOR: i32 = 8300;
/// Letters of the text: eight hexadecimal digits and the end of the line.
const LENGTH: i32 = 9;

/// A module and what it prints.
pub struct Module {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its output: a number and the end of the line.
    pub answer: String,
}

/// What a function consists of. Variables are given by number.
enum Statement {
    /// `to = left OP right`
    Operate { to: usize, operator: Operator, left: usize, right: usize },
    /// `to = constant`
    Set { to: usize, constant: i32 },
    /// `to = memory[at % WORDS]`
    Load { to: usize, at: usize },
    /// `memory[at % WORDS] = from`
    Store { at: usize, from: usize },
    /// `to = function(left, right)`
    Call { to: usize, function: usize, left: usize, right: usize },
    /// Depending on the lowest bit of a variable.
    If { variable: usize, odd: Vec<Statement>, even: Vec<Statement> },
    /// A number of times.
    Repeat { times: i32, body: Vec<Statement> },
}

#[derive(Clone, Copy)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    RotateLeft,
    LessThan,
}

const OPERATORS: [Operator; 10] = [
    Operator::Add,
    Operator::Subtract,
    Operator::Multiply,
    Operator::And,
    Operator::Or,
    Operator::Xor,
    Operator::ShiftLeft,
    Operator::ShiftRight,
    Operator::RotateLeft,
    Operator::LessThan,
];

impl Operator {
    fn opcode(self) -> u8 {
        match self {
            Operator::Add => 0x6a,
            Operator::Subtract => 0x6b,
            Operator::Multiply => 0x6c,
            Operator::And => 0x71,
            Operator::Or => 0x72,
            Operator::Xor => 0x73,
            Operator::ShiftLeft => 0x74,
            Operator::ShiftRight => 0x76,
            Operator::RotateLeft => 0x77,
            Operator::LessThan => 0x48,
        }
    }

    fn apply(self, left: i32, right: i32) -> i32 {
        match self {
            Operator::Add => left.wrapping_add(right),
            Operator::Subtract => left.wrapping_sub(right),
            Operator::Multiply => left.wrapping_mul(right),
            Operator::And => left & right,
            Operator::Or => left | right,
            Operator::Xor => left ^ right,
            Operator::ShiftLeft => left.wrapping_shl(right as u32),
            Operator::ShiftRight => (left as u32).wrapping_shr(right as u32) as i32,
            Operator::RotateLeft => left.rotate_left(right as u32 & 31),
            Operator::LessThan => i32::from(left < right),
        }
    }
}

/// A module with so many functions of about so many statements each.
pub fn generate(functions: usize, statements: usize, seed: u64) -> Module {
    let mut random = Random(seed);
    let bodies: Vec<Vec<Statement>> =
        (0..functions).map(|number| body(&mut random, number, statements)).collect();

    let mut machine = Machine { bodies: &bodies, memory: vec![0; WORDS] };
    let mut sum = 0i32;
    for number in 0..functions {
        sum = sum.rotate_left(5) ^ machine.call(number, number as i32, sum);
    }
    Module { bytes: encode(&bodies), answer: format!("{sum:08x}\n") }
}

fn body(random: &mut Random, number: usize, statements: usize) -> Vec<Statement> {
    let mut body: Vec<Statement> = Vec::new();
    // Every variable has a value that depends on the parameters, so that little can be computed beforehand.
    for to in 2..LOCALS {
        body.push(Statement::Set { to, constant: random.next() as i32 });
        body.push(Statement::Operate { to, operator: random.operator(), left: to, right: random.below(to) });
    }
    while body.len() < statements {
        let statement = match random.below(10) {
            0 => {
                let (odd, even) = (random.straight(4), random.straight(3));
                Statement::If { variable: random.local(), odd, even }
            }
            1 => Statement::Repeat { times: 2 + random.below(6) as i32, body: random.straight(5) },
            _ => random.plain(),
        };
        body.push(statement);
    }
    if number > 0 {
        // One call, of a function in the first half of those before: so no chain of calls is long.
        let function = random.below(number.div_ceil(2));
        let (to, left, right) = (random.local(), random.local(), random.local());
        let place = 2 * LOCALS + random.below(body.len() - 2 * LOCALS + 1);
        body.insert(place.min(body.len()), Statement::Call { to, function, left, right });
    }
    body
}

/// Numbers by xorshift; the seed must not be 0.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    fn local(&mut self) -> usize {
        self.below(LOCALS)
    }

    fn operator(&mut self) -> Operator {
        OPERATORS[self.below(OPERATORS.len())]
    }

    fn plain(&mut self) -> Statement {
        match self.below(8) {
            0 => Statement::Load { to: self.local(), at: self.local() },
            1 => Statement::Store { at: self.local(), from: self.local() },
            2 => Statement::Set { to: self.local(), constant: self.next() as i32 },
            _ => Statement::Operate {
                to: self.local(),
                operator: self.operator(),
                left: self.local(),
                right: self.local(),
            },
        }
    }

    fn straight(&mut self, most: usize) -> Vec<Statement> {
        (0..1 + self.below(most)).map(|_| self.plain()).collect()
    }
}

/// Runs what was made.
struct Machine<'a> {
    bodies: &'a [Vec<Statement>],
    memory: Vec<i32>,
}

impl Machine<'_> {
    fn call(&mut self, function: usize, left: i32, right: i32) -> i32 {
        let mut locals = [0; LOCALS];
        (locals[0], locals[1]) = (left, right);
        let bodies = self.bodies;
        self.run(&bodies[function], &mut locals);
        locals.iter().fold(0, |sum, value| sum ^ value)
    }

    fn run(&mut self, statements: &[Statement], locals: &mut [i32; LOCALS]) {
        let word = |value: i32| value as u32 as usize % WORDS;
        for statement in statements {
            match statement {
                Statement::Operate { to, operator, left, right } => {
                    locals[*to] = operator.apply(locals[*left], locals[*right]);
                }
                Statement::Set { to, constant } => locals[*to] = *constant,
                Statement::Load { to, at } => locals[*to] = self.memory[word(locals[*at])],
                Statement::Store { at, from } => self.memory[word(locals[*at])] = locals[*from],
                Statement::Call { to, function, left, right } => {
                    locals[*to] = self.call(*function, locals[*left], locals[*right]);
                }
                Statement::If { variable, odd, even } => {
                    let taken = if locals[*variable] & 1 == 1 { odd } else { even };
                    self.run(taken, locals);
                }
                Statement::Repeat { times, body } => {
                    for _ in 0..*times {
                        self.run(body, locals);
                    }
                }
            }
        }
    }
}

// --- as WebAssembly ------------------------------------------------------------------------------------------------

const I32: u8 = 0x7f;
const END: u8 = 0x0b;
/// The block type of blocks without a value.
const EMPTY: u8 = 0x40;
/// Functions are counted with the imported one first.
const IMPORTED: usize = 1;

/// The local variable that counts the rounds of a loop; loops are not nested.
const ROUNDS: usize = LOCALS;

fn encode(bodies: &[Vec<Statement>]) -> Vec<u8> {
    let mut file = b"\0asm\x01\0\0\0".to_vec();
    let mut section = |section: Section| section.write(&mut file);

    let mut types = Section::new(1, 3);
    types.bytes(&[0x60, 2, I32, I32, 1, I32]);
    types.bytes(&[0x60, 4, I32, I32, I32, I32, 1, I32]);
    types.bytes(&[0x60, 0, 0]);
    section(types);

    let mut imports = Section::new(2, 1);
    imports.bytes(&name("wasi_snapshot_preview1"));
    imports.bytes(&name("fd_write"));
    imports.bytes(&[0, 1]);
    section(imports);

    let mut functions = Section::new(3, bodies.len() + 1);
    bodies.iter().for_each(|_| functions.bytes(&[0]));
    functions.bytes(&[2]);
    section(functions);

    let mut memories = Section::new(5, 1);
    memories.bytes(&[0, 1]);
    section(memories);

    let mut exports = Section::new(7, 2);
    exports.bytes(&name("memory"));
    exports.bytes(&[2, 0]);
    exports.bytes(&name("_start"));
    exports.bytes(&[0]);
    exports.bytes(&unsigned(IMPORTED + bodies.len()));
    section(exports);

    let mut code = Section::new(10, bodies.len() + 1);
    for body in bodies {
        // Beside the parameters: the other variables and the counter.
        let mut bytes = vec![1];
        bytes.extend(unsigned(LOCALS - 2 + 1));
        bytes.push(I32);
        statements(body, &mut bytes);
        get(0, &mut bytes);
        for local in 1..LOCALS {
            get(local, &mut bytes);
            bytes.push(Operator::Xor.opcode());
        }
        bytes.push(END);
        code.sized(&bytes);
    }
    code.sized(&start(bodies.len()));
    section(code);
    file
}

fn get(local: usize, bytes: &mut Vec<u8>) {
    bytes.push(0x20);
    bytes.extend(unsigned(local));
}

fn set(local: usize, bytes: &mut Vec<u8>) {
    bytes.push(0x21);
    bytes.extend(unsigned(local));
}

fn constant(value: i32, bytes: &mut Vec<u8>) {
    bytes.push(0x41);
    bytes.extend(signed(value));
}

/// The address of a word of the functions' memory.
fn address(local: usize, bytes: &mut Vec<u8>) {
    get(local, bytes);
    constant(WORDS as i32 - 1, bytes);
    bytes.push(Operator::And.opcode());
    constant(2, bytes);
    bytes.push(Operator::ShiftLeft.opcode());
}

/// `i32.load` or `i32.store`, aligned.
const LOAD: [u8; 3] = [0x28, 2, 0];
const STORE: [u8; 3] = [0x36, 2, 0];

fn statements(list: &[Statement], bytes: &mut Vec<u8>) {
    for statement in list {
        match statement {
            Statement::Operate { to, operator, left, right } => {
                get(*left, bytes);
                get(*right, bytes);
                bytes.push(operator.opcode());
                set(*to, bytes);
            }
            Statement::Set { to, constant: value } => {
                constant(*value, bytes);
                set(*to, bytes);
            }
            Statement::Load { to, at } => {
                address(*at, bytes);
                bytes.extend(LOAD);
                set(*to, bytes);
            }
            Statement::Store { at, from } => {
                address(*at, bytes);
                get(*from, bytes);
                bytes.extend(STORE);
            }
            Statement::Call { to, function, left, right } => {
                get(*left, bytes);
                get(*right, bytes);
                call(IMPORTED + function, bytes);
                set(*to, bytes);
            }
            Statement::If { variable, odd, even } => {
                get(*variable, bytes);
                constant(1, bytes);
                bytes.push(Operator::And.opcode());
                bytes.extend([0x04, EMPTY]);
                statements(odd, bytes);
                bytes.push(0x05);
                statements(even, bytes);
                bytes.push(END);
            }
            Statement::Repeat { times, body } => {
                constant(*times, bytes);
                set(ROUNDS, bytes);
                bytes.extend([0x03, EMPTY]);
                statements(body, bytes);
                get(ROUNDS, bytes);
                constant(1, bytes);
                bytes.push(Operator::Subtract.opcode());
                // `local.tee`, then again while it is not 0.
                bytes.push(0x22);
                bytes.extend(unsigned(ROUNDS));
                bytes.extend([0x0d, 0, END]);
            }
        }
    }
}

fn call(function: usize, bytes: &mut Vec<u8>) {
    bytes.push(0x10);
    bytes.extend(unsigned(function));
}

/// Calls every function, and writes the sum in hexadecimal to standard output.
fn start(functions: usize) -> Vec<u8> {
    const SUM: usize = 0;
    const DIGIT: usize = 1;
    let mut bytes = vec![1, 2, I32];
    for number in 0..functions {
        get(SUM, &mut bytes);
        constant(5, &mut bytes);
        bytes.push(Operator::RotateLeft.opcode());
        constant(number as i32, &mut bytes);
        get(SUM, &mut bytes);
        call(IMPORTED + number, &mut bytes);
        bytes.push(Operator::Xor.opcode());
        set(SUM, &mut bytes);
    }
    for place in 0..8 {
        get(SUM, &mut bytes);
        constant(28 - 4 * place, &mut bytes);
        bytes.push(Operator::ShiftRight.opcode());
        constant(15, &mut bytes);
        bytes.push(Operator::And.opcode());
        set(DIGIT, &mut bytes);
        constant(TEXT + place, &mut bytes);
        // '0', and from ten on the distance between '9' and 'a' more.
        get(DIGIT, &mut bytes);
        constant(i32::from(b'0'), &mut bytes);
        bytes.push(Operator::Add.opcode());
        constant(9, &mut bytes);
        get(DIGIT, &mut bytes);
        bytes.push(Operator::LessThan.opcode());
        constant(i32::from(b'a' - b'9' - 1), &mut bytes);
        bytes.push(Operator::Multiply.opcode());
        bytes.push(Operator::Add.opcode());
        bytes.extend([0x3a, 0, 0]);
    }
    constant(TEXT + 8, &mut bytes);
    constant(i32::from(b'\n'), &mut bytes);
    bytes.extend([0x3a, 0, 0]);
    for (place, value) in [(VECTOR, TEXT), (VECTOR + 4, LENGTH)] {
        constant(place, &mut bytes);
        constant(value, &mut bytes);
        bytes.extend(STORE);
    }
    for value in [1, VECTOR, 1, VECTOR + 8] {
        constant(value, &mut bytes);
    }
    call(0, &mut bytes);
    bytes.extend([0x1a, END]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_module() {
        let (one, same, other) = (generate(20, 60, 1), generate(20, 60, 1), generate(20, 60, 2));
        assert_eq!((&one.bytes, &one.answer), (&same.bytes, &same.answer));
        assert_ne!(one.bytes, other.bytes);
        assert_ne!(one.answer, other.answer);
        assert_eq!(one.answer.len(), LENGTH as usize);
    }

    #[test]
    fn sections_have_the_sizes_that_they_say() {
        let module = generate(30, 80, 7);
        let mut rest = &module.bytes[8..];
        let mut kinds = Vec::new();
        while let [kind, tail @ ..] = rest {
            let (mut size, mut shift, mut used) = (0usize, 0, 0);
            for byte in tail {
                size |= usize::from(byte & 0x7f) << shift;
                (shift, used) = (shift + 7, used + 1);
                if byte & 0x80 == 0 {
                    break;
                }
            }
            kinds.push(*kind);
            rest = &tail[used + size..];
        }
        assert_eq!(kinds, [1, 2, 3, 5, 7, 10]);
    }

    #[test]
    fn size_grows_with_functions_and_statements() {
        let size = |functions, statements| generate(functions, statements, 3).bytes.len();
        assert!(size(40, 100) > 2 * size(15, 100));
        assert!(size(20, 400) > 3 * size(20, 100));
    }

    #[test]
    fn operators_wrap_and_take_shifts_modulo_32_as_webassembly_does() {
        assert_eq!(Operator::Add.apply(i32::MAX, 1), i32::MIN);
        assert_eq!(Operator::ShiftLeft.apply(1, 33), 2);
        assert_eq!(Operator::ShiftRight.apply(-1, 31), 1);
        assert_eq!(Operator::RotateLeft.apply(i32::MIN, 33), 1);
        assert_eq!(Operator::LessThan.apply(-1, 0), 1);
    }
}
