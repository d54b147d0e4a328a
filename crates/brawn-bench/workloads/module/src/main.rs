//! A WASI module to compile, of any size: random functions of integer arithmetic, memory accesses, branches, loops and
//! calls, and a `_start` that prints one number that depends on all of them.
//!
//! The same seed gives the same module, to the byte, so that what it prints is known.

use fastrand::Rng;
use wasm_encoder::{
    BlockType, CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    Instruction, MemArg, MemArgTarget, MemorySection, MemoryType, Module, TypeSection, ValType,
};

/// Functions, statements of each, and the seed of the suite's module, which is then of 3.6 MB.
const GENERATED: (u32, u32, u64) = (1_500, 139, 0x5EED);
/// Local variables of each function, the two parameters being the first.
const LOCALS: u32 = 8;
/// The local variable that counts the rounds of a loop; loops are not nested.
const ROUNDS: u32 = LOCALS;
/// The functions' own memory, in words of 32 bits; a power of two. The rest of the page is `_start`'s.
const WORDS: i32 = 1024;
/// Where `_start` puts the text, in bytes.
const TEXT: i32 = 8192;
/// Where it puts what `fd_write` reads and answers.
const VECTOR: i32 = 8300;
/// Letters of the text: eight hexadecimal digits and the end of the line.
const LENGTH: i32 = 9;
/// Functions are counted with the imported one first.
const IMPORTED: u32 = 1;

const BYTE: MemArg = MemArg { offset: 0, align: 0, target: MemArgTarget::Memory(0), ordering: None };
const WORD: MemArg = MemArg { align: 2, ..BYTE };

const OPERATORS: [Instruction<'_>; 10] = [
    Instruction::I32Add,
    Instruction::I32Sub,
    Instruction::I32Mul,
    Instruction::I32And,
    Instruction::I32Or,
    Instruction::I32Xor,
    Instruction::I32Shl,
    Instruction::I32ShrU,
    Instruction::I32Rotl,
    Instruction::I32LtS,
];

fn main() -> std::io::Result<()> {
    let (functions, statements, seed) = GENERATED;
    let file = std::env::args_os().nth(1).ok_or_else(|| std::io::Error::other("usage: brawn-module FILE"))?;
    std::fs::write(file, generate(functions, statements, seed))
}

/// A module with so many functions of about so many statements each.
fn generate(functions: u32, statements: u32, seed: u64) -> Vec<u8> {
    let mut random = Rng::with_seed(seed);
    let (number, none) = (ValType::I32, []);
    let mut types = TypeSection::new();
    types.ty().function([number; 2], [number]);
    types.ty().function([number; 4], [number]);
    types.ty().function(none, none);
    let mut imports = ImportSection::new();
    imports.import("wasi_snapshot_preview1", "fd_write", EntityType::Function(1));
    let mut signatures = FunctionSection::new();
    let mut code = CodeSection::new();
    for number in 0..functions {
        signatures.function(0);
        code.function(&body(&mut random, number, statements));
    }
    signatures.function(2);
    code.function(&start(functions));
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    exports.export("_start", ExportKind::Func, IMPORTED + functions);

    let mut module = Module::new();
    module
        .section(&types)
        .section(&imports)
        .section(&signatures)
        .section(&memories)
        .section(&exports)
        .section(&code);
    module.finish()
}

fn body(random: &mut Rng, number: u32, statements: u32) -> Function {
    let mut code = Function::new([(LOCALS - 2 + 1, ValType::I32)]);
    // Every variable has a value that depends on the parameters, so that little can be computed beforehand.
    for to in 2..LOCALS {
        code.instructions().i32_const(random.i32(..)).local_set(to);
        let other = random.u32(..to);
        operate(random, &mut code, to, to, other);
    }
    let call_at = random.u32(..statements);
    for statement in 0..statements {
        if statement == call_at && number > 0 {
            // A function in the first half of those before: so no chain of calls is long.
            let function = IMPORTED + random.u32(..number.div_ceil(2));
            let [to, left, right] = [(); 3].map(|()| local(random));
            code.instructions().local_get(left).local_get(right).call(function).local_set(to);
        }
        match random.u32(..10) {
            0 => {
                code.instructions().local_get(local(random)).i32_const(1).i32_and().if_(BlockType::Empty);
                straight(random, &mut code, 4);
                code.instructions().else_();
                straight(random, &mut code, 3);
                code.instructions().end();
            }
            1 => {
                code.instructions().i32_const(random.i32(2..8)).local_set(ROUNDS).loop_(BlockType::Empty);
                straight(random, &mut code, 5);
                let mut code = code.instructions();
                code.local_get(ROUNDS).i32_const(1).i32_sub().local_tee(ROUNDS).br_if(0).end();
            }
            _ => plain(random, &mut code),
        }
    }
    code.instructions().local_get(0);
    for local in 1..LOCALS {
        code.instructions().local_get(local).i32_xor();
    }
    code.instructions().end();
    code
}

fn local(random: &mut Rng) -> u32 {
    random.u32(..LOCALS)
}

/// Some statements without branches.
fn straight(random: &mut Rng, code: &mut Function, most: u32) {
    for _ in 0..random.u32(1..=most) {
        plain(random, code);
    }
}

fn plain(random: &mut Rng, code: &mut Function) {
    let [one, two, three] = [(); 3].map(|()| local(random));
    match random.u32(..8) {
        0 => {
            address(code, one);
            code.instructions().i32_load(WORD).local_set(two);
        }
        1 => {
            address(code, one);
            code.instructions().local_get(two).i32_store(WORD);
        }
        2 => {
            code.instructions().i32_const(random.i32(..)).local_set(one);
        }
        _ => operate(random, code, one, two, three),
    }
}

/// `to = left OP right`
fn operate(random: &mut Rng, code: &mut Function, to: u32, left: u32, right: u32) {
    code.instructions().local_get(left).local_get(right);
    code.instruction(&OPERATORS[random.usize(..OPERATORS.len())]).instructions().local_set(to);
}

/// The address of a word of the functions' memory.
fn address(code: &mut Function, local: u32) {
    code.instructions().local_get(local).i32_const(WORDS - 1).i32_and().i32_const(2).i32_shl();
}

/// Calls every function, and writes the sum in hexadecimal to standard output.
fn start(functions: u32) -> Function {
    const SUM: u32 = 0;
    const DIGIT: u32 = 1;
    let mut function = Function::new([(2, ValType::I32)]);
    let mut code = function.instructions();
    for number in 0..functions {
        code.local_get(SUM).i32_const(5).i32_rotl();
        code.i32_const(number.cast_signed()).local_get(SUM).call(IMPORTED + number).i32_xor().local_set(SUM);
    }
    for place in 0..8 {
        code.local_get(SUM).i32_const(28 - 4 * place).i32_shr_u().i32_const(15).i32_and().local_set(DIGIT);
        code.i32_const(TEXT + place);
        // '0', and from ten on the distance between '9' and 'a' more.
        code.local_get(DIGIT).i32_const(i32::from(b'0')).i32_add();
        code.i32_const(9)
            .local_get(DIGIT)
            .i32_lt_s()
            .i32_const(i32::from(b'a' - b'9' - 1))
            .i32_mul()
            .i32_add();
        code.i32_store8(BYTE);
    }
    code.i32_const(TEXT + 8).i32_const(i32::from(b'\n')).i32_store8(BYTE);
    for (place, value) in [(VECTOR, TEXT), (VECTOR + 4, LENGTH)] {
        code.i32_const(place).i32_const(value).i32_store(WORD);
    }
    code.i32_const(1).i32_const(VECTOR).i32_const(1).i32_const(VECTOR + 8).call(0).drop().end();
    function
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn a_seed_gives_one_module() {
        assert_eq!(generate(20, 60, 1), generate(20, 60, 1));
        assert_ne!(generate(20, 60, 1), generate(20, 60, 2));
    }

    #[test]
    fn size_grows_with_functions_and_statements() {
        let size = |functions, statements| generate(functions, statements, 3).len();
        assert!(size(40, 100) > 2 * size(15, 100));
        assert!(size(20, 400) > 3 * size(20, 100));
    }

    /// Who changes the module runs it, and writes down its new answer and digest together:
    /// `BRAWN_KEEP=FILE cargo test -p brawn-bench --test module` keeps it for that.
    #[test]
    fn the_module_is_the_one_whose_answer_is_known() {
        let (functions, statements, seed) = GENERATED;
        let module = generate(functions, statements, seed);
        if let Some(file) = std::env::var_os("BRAWN_KEEP") {
            std::fs::write(file, &module).unwrap();
        }
        assert!((3_500_000..3_700_000).contains(&module.len()), "{}", module.len());
        let digest: String = Sha256::digest(&module).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "58acc303bc4191a07ee2ceb81b5965ec9121af084e59da8e85de40ef7f75391b");
    }
}
