/* Runs the instructions of an FDE up to a place in its function, and applies the row that they give. */

#include "frames.h"

struct machine {
    const struct fde *fde;
    const struct rules *first; /* what the CIE says, once that is known */
    struct rules rules;
    word at, wanted;
    bool failed, done, restored;
};

enum { NESTED_MOST = 32 };

static const uint8_t *run(struct machine *machine, const uint8_t *at, const uint8_t *end, unsigned depth);

static void set(struct machine *machine, word number, enum rule kind, intptr_t value) {
    word index = column(number);
    if (index >= COLUMNS)
        return;
    machine->rules.kind[index] = (uint8_t)kind;
    machine->rules.value[index] = value;
}

static void restore(struct machine *machine, word number) {
    word index = column(number);
    if (machine->first != NULL && index < COLUMNS) {
        machine->rules.kind[index] = machine->first->kind[index];
        machine->rules.value[index] = machine->first->value[index];
    }
}

/* An expression is where its length is. */
static intptr_t expression(struct reader *from) {
    intptr_t place = (intptr_t)from->at;
    uint64_t length = read_uleb(from);
    if (length > (uint64_t)(from->end - from->at))
        from->failed = true;
    else
        from->at += length;
    return place;
}

/* What is remembered lies on the stack until it is restored. */
__attribute__((noinline)) static const uint8_t *remember(struct machine *machine, const uint8_t *at,
                                                         const uint8_t *end, unsigned depth) {
    struct rules kept = machine->rules;
    machine->restored = false;
    at = run(machine, at, end, depth + 1);
    if (machine->restored) {
        kept.arguments = machine->rules.arguments;
        machine->rules = kept;
        machine->restored = false;
    }
    return at;
}

static void cfa(struct machine *machine, word number, intptr_t offset) {
    machine->rules.cfa_is_expression = false;
    machine->rules.cfa_column = column(number);
    machine->rules.cfa_value = offset;
}

/* Returns where it stopped: behind the instruction that restores what the caller remembered, or at the end. */
static const uint8_t *run(struct machine *machine, const uint8_t *at, const uint8_t *end, unsigned depth) {
    struct reader from = {at, end, depth > NESTED_MOST};
    const struct fde *fde = machine->fde;
    while (from.at < end && !from.failed && !machine->done && !machine->failed) {
        uint8_t code = *from.at++;
        word low = code & 0x3f, forward = 0, number;
        bool moves = false;
        switch (code >> 6 ? code & 0xc0 : code) {
        case 0x40:
            forward = low, moves = true;
            break;
        case 0x80:
            set(machine, low, RULE_OFFSET, (intptr_t)read_uleb(&from) * fde->data_align);
            break;
        case 0xc0:
            restore(machine, low);
            break;
        case 0x00:
            break;
        case 0x01: /* set_loc */
            number = __brawn_unwind_pointer(&from, fde->encoding, fde->start);
            if (number > machine->wanted)
                machine->done = true;
            machine->at = number;
            break;
        case 0x02:
            forward = read_byte(&from), moves = true;
            break;
        case 0x03:
            forward = read_fixed(&from, 2), moves = true;
            break;
        case 0x04:
            forward = read_fixed(&from, 4), moves = true;
            break;
        case 0x05: /* offset_extended */
            number = read_uleb(&from);
            set(machine, number, RULE_OFFSET, (intptr_t)read_uleb(&from) * fde->data_align);
            break;
        case 0x06:
            restore(machine, read_uleb(&from));
            break;
        case 0x07:
            set(machine, read_uleb(&from), RULE_UNDEFINED, 0);
            break;
        case 0x08:
            set(machine, read_uleb(&from), RULE_SAME, 0);
            break;
        case 0x09: /* register */
            number = read_uleb(&from);
            set(machine, number, RULE_REGISTER, (intptr_t)column(read_uleb(&from)));
            break;
        case 0x0a: /* remember_state */
            from.at = remember(machine, from.at, end, depth);
            break;
        case 0x0b: /* restore_state */
            machine->restored = depth != 0;
            machine->failed |= depth == 0;
            return from.at;
        case 0x0c: /* def_cfa */
            number = read_uleb(&from);
            cfa(machine, number, (intptr_t)read_uleb(&from));
            break;
        case 0x0d:
            machine->rules.cfa_column = column(read_uleb(&from));
            machine->failed |= machine->rules.cfa_is_expression;
            break;
        case 0x0e:
            machine->rules.cfa_value = (intptr_t)read_uleb(&from);
            machine->failed |= machine->rules.cfa_is_expression;
            break;
        case 0x0f: /* def_cfa_expression */
            machine->rules.cfa_is_expression = true;
            machine->rules.cfa_value = expression(&from);
            break;
        case 0x10:
            number = read_uleb(&from);
            set(machine, number, RULE_EXPRESSION, expression(&from));
            break;
        case 0x11: /* offset_extended_sf */
            number = read_uleb(&from);
            set(machine, number, RULE_OFFSET, read_sleb(&from) * fde->data_align);
            break;
        case 0x12: /* def_cfa_sf */
            number = read_uleb(&from);
            cfa(machine, number, read_sleb(&from) * fde->data_align);
            break;
        case 0x13:
            machine->rules.cfa_value = read_sleb(&from) * fde->data_align;
            machine->failed |= machine->rules.cfa_is_expression;
            break;
        case 0x14: /* val_offset */
            number = read_uleb(&from);
            set(machine, number, RULE_VALUE_OFFSET, (intptr_t)read_uleb(&from) * fde->data_align);
            break;
        case 0x15:
            number = read_uleb(&from);
            set(machine, number, RULE_VALUE_OFFSET, read_sleb(&from) * fde->data_align);
            break;
        case 0x16: /* val_expression */
            number = read_uleb(&from);
            set(machine, number, RULE_VALUE, expression(&from));
            break;
#if defined(__aarch64__)
        case 0x2d: /* negate_ra_state */
            machine->rules.is_signed = !machine->rules.is_signed;
            break;
#endif
        case 0x2e: /* GNU_args_size */
            machine->rules.arguments = read_uleb(&from);
            break;
        case 0x2f: /* GNU_negative_offset_extended */
            number = read_uleb(&from);
            set(machine, number, RULE_OFFSET, -((intptr_t)read_uleb(&from) * fde->data_align));
            break;
        default:
            machine->failed = true;
        }
        if (moves) {
            word next = machine->at + forward * fde->code_align;
            if (next > machine->wanted)
                machine->done = true;
            else
                machine->at = next;
        }
    }
    machine->failed |= from.failed;
    return from.at;
}

/* The row for a place in the function. */
bool __brawn_unwind_rules(const struct fde *fde, word pc, struct rules *rules) {
    struct machine machine;
    machine.fde = fde;
    machine.first = NULL;
    machine.failed = machine.done = machine.restored = false;
    machine.at = machine.wanted = fde->start;
    for (size_t i = 0; i < COLUMNS; i++)
        machine.rules.kind[i] = RULE_SAME, machine.rules.value[i] = 0;
    machine.rules.cfa_is_expression = machine.rules.is_signed = false;
    machine.rules.cfa_column = COLUMNS;
    machine.rules.cfa_value = 0;
    machine.rules.arguments = 0;
    run(&machine, fde->first_program, fde->first_end, 0);
    struct rules first = machine.rules;
    machine.first = &first;
    machine.wanted = pc;
    machine.at = fde->start;
    machine.done = false;
    if (!machine.failed)
        run(&machine, fde->program, fde->end, 0);
    *rules = machine.rules;
    return !machine.failed && (rules->cfa_is_expression || rules->cfa_column < COLUMNS) &&
           column(fde->return_column) < COLUMNS;
}

enum { STACK_MOST = 64, STEPS_MOST = 10000 };

struct values {
    word at[STACK_MOST];
    size_t count;
    bool failed;
};

static void push(struct values *values, word value) {
    if (values->count == STACK_MOST)
        values->failed = true;
    else
        values->at[values->count++] = value;
}

static word pop(struct values *values) {
    if (values->count == 0) {
        values->failed = true;
        return 0;
    }
    return values->at[--values->count];
}

static word of_register(struct values *values, const word *r, word number) {
    word index = column(number);
    values->failed |= index >= COLUMNS;
    return index < COLUMNS ? r[index] : 0;
}

/* Operations on the two topmost values. */
static word binary(struct values *values, uint8_t code) {
    word b = pop(values), a = pop(values);
    intptr_t sa = (intptr_t)a, sb = (intptr_t)b;
    switch (code) {
    case 0x1a:
        return a & b;
    case 0x1b:
        values->failed |= sb == 0;
        return sb == 0 ? 0 : sb == -1 ? -a : (word)(sa / sb);
    case 0x1c:
        return a - b;
    case 0x1d:
        values->failed |= b == 0;
        return b == 0 ? 0 : a % b;
    case 0x1e:
        return a * b;
    case 0x21:
        return a | b;
    case 0x22:
        return a + b;
    case 0x24:
        return b < 64 ? a << b : 0;
    case 0x25:
        return b < 64 ? a >> b : 0;
    case 0x26:
        return (word)(sa >> (b < 63 ? b : 63));
    case 0x27:
        return a ^ b;
    case 0x29:
        return sa == sb;
    case 0x2a:
        return sa >= sb;
    case 0x2b:
        return sa > sb;
    case 0x2c:
        return sa <= sb;
    case 0x2d:
        return sa < sb;
    default:
        return sa != sb;
    }
}

/* The value of an expression over the registers of the frame. */
static bool evaluate(intptr_t place, const word *r, const word *first, word *result) {
    struct reader from = {(const uint8_t *)place, (const uint8_t *)place + 10, false};
    uint64_t length = read_uleb(&from);
    const uint8_t *begin = from.at;
    from.end = begin + length;
    struct values values = {.count = 0, .failed = false};
    if (first != NULL)
        push(&values, *first);
    for (unsigned steps = 0; from.at < from.end && !from.failed && !values.failed; steps++) {
        uint8_t code = *from.at++;
        word a, b, c;
        if (steps == STEPS_MOST)
            return false;
        if (code >= 0x30 && code < 0x50) { /* lit */
            push(&values, code - 0x30);
            continue;
        }
        if (code >= 0x50 && code < 0x70) { /* reg */
            push(&values, of_register(&values, r, code - 0x50));
            continue;
        }
        if (code >= 0x70 && code < 0x90) { /* breg */
            push(&values, of_register(&values, r, code - 0x70) + (word)read_sleb(&from));
            continue;
        }
        switch (code) {
        case 0x03: /* addr */
        case 0x0e: /* const8u */
        case 0x0f:
            push(&values, read_fixed(&from, 8));
            break;
        case 0x06: /* deref */
            a = pop(&values);
            if (!values.failed)
                push(&values, *(const word *)a);
            break;
        case 0x08: /* const1u */
            push(&values, read_byte(&from));
            break;
        case 0x09:
            push(&values, (word)(int8_t)read_byte(&from));
            break;
        case 0x0a:
            push(&values, read_fixed(&from, 2));
            break;
        case 0x0b:
            push(&values, (word)(int16_t)read_fixed(&from, 2));
            break;
        case 0x0c:
            push(&values, read_fixed(&from, 4));
            break;
        case 0x0d:
            push(&values, (word)(int32_t)read_fixed(&from, 4));
            break;
        case 0x10: /* constu */
            push(&values, read_uleb(&from));
            break;
        case 0x11:
            push(&values, (word)read_sleb(&from));
            break;
        case 0x12: /* dup */
            a = pop(&values);
            push(&values, a);
            push(&values, a);
            break;
        case 0x13: /* drop */
            pop(&values);
            break;
        case 0x14: /* over */
        case 0x15: /* pick */
            a = code == 0x14 ? 1 : read_byte(&from);
            values.failed |= a >= values.count;
            if (!values.failed)
                push(&values, values.at[values.count - 1 - a]);
            break;
        case 0x16: /* swap */
            b = pop(&values), a = pop(&values);
            push(&values, b);
            push(&values, a);
            break;
        case 0x17: /* rot: the topmost goes below the two behind it */
            c = pop(&values), b = pop(&values), a = pop(&values);
            push(&values, c);
            push(&values, a);
            push(&values, b);
            break;
        case 0x19: /* abs */
            a = pop(&values);
            push(&values, (intptr_t)a < 0 ? -a : a);
            break;
        case 0x1f: /* neg */
            push(&values, -pop(&values));
            break;
        case 0x20: /* not */
            push(&values, ~pop(&values));
            break;
        case 0x23: /* plus_uconst */
            a = pop(&values);
            push(&values, a + read_uleb(&from));
            break;
        case 0x28: /* bra */
        case 0x2f: /* skip */
            b = (word)(int16_t)read_fixed(&from, 2);
            if (code == 0x2f || pop(&values) != 0) {
                values.failed |= (word)(from.at + (intptr_t)b - begin) > length;
                from.at += (intptr_t)b;
            }
            break;
        case 0x90: /* regx */
            push(&values, of_register(&values, r, read_uleb(&from)));
            break;
        case 0x92: /* bregx */
            a = of_register(&values, r, read_uleb(&from));
            push(&values, a + (word)read_sleb(&from));
            break;
        case 0x94: { /* deref_size */
            uint8_t size = read_byte(&from);
            a = pop(&values);
            struct reader there = {(const uint8_t *)a, (const uint8_t *)a + size, false};
            values.failed |= size > 8;
            if (!values.failed)
                push(&values, read_fixed(&there, size));
            break;
        }
        case 0x96: /* nop */
            break;
        default:
            if (code < 0x1a || code > 0x2e)
                return false;
            push(&values, binary(&values, code));
        }
    }
    *result = pop(&values);
    return !from.failed && !values.failed;
}

#if defined(__aarch64__)
/* Takes the signature off a return address. On a processor without signatures these are no operations. */
static word authenticate(word address, word modifier, bool key_b) {
    register word x17 __asm__("x17") = address;
    register word x16 __asm__("x16") = modifier;
    if (key_b)
        __asm__("hint 0xe" : "+r"(x17) : "r"(x16));
    else
        __asm__("hint 0xc" : "+r"(x17) : "r"(x16));
    return x17;
}
#endif

/* Makes the caller's registers out of the frame's. */
bool __brawn_unwind_apply(const struct fde *fde, const struct rules *rules, struct _Unwind_Context *context) {
    const word *r = context->r;
    word cfa, next[COLUMNS];
    if (!rules->cfa_is_expression)
        cfa = r[rules->cfa_column] + (word)rules->cfa_value;
    else if (!evaluate(rules->cfa_value, r, NULL, &cfa))
        return false;
    for (size_t i = 0; i < COLUMNS; i++) {
        word value = r[i];
        switch (rules->kind[i]) {
        case RULE_UNDEFINED:
            value = 0;
            break;
        case RULE_OFFSET:
            value = *(const word *)(cfa + (word)rules->value[i]);
            break;
        case RULE_VALUE_OFFSET:
            value = cfa + (word)rules->value[i];
            break;
        case RULE_REGISTER:
            if ((word)rules->value[i] >= COLUMNS)
                return false;
            value = r[rules->value[i]];
            break;
        case RULE_EXPRESSION:
            if (!evaluate(rules->value[i], r, &cfa, &value))
                return false;
            value = *(const word *)value;
            break;
        case RULE_VALUE:
            if (!evaluate(rules->value[i], r, &cfa, &value))
                return false;
            break;
        default:
            if (i == STACK)
                value = cfa;
        }
        next[i] = value;
    }
    next[PC] = next[column(fde->return_column)];
#if defined(__aarch64__)
    if (rules->is_signed)
        next[PC] = authenticate(next[PC], cfa, fde->key_b);
#endif
    for (size_t i = 0; i < COLUMNS; i++)
        context->r[i] = next[i];
    return true;
}
