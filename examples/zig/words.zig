//! Counts the words of standard input in two threads, with everything on the C heap.
const std = @import("std");
const allocator = std.heap.c_allocator;

extern "c" fn strchr(text: [*:0]const u8, character: c_int) ?[*:0]const u8;
extern "c" fn strndup(text: [*]const u8, length: usize) ?[*:0]u8;
extern "c" fn free(block: ?*anyopaque) void;

const Words = std.StringHashMapUnmanaged(usize);
const Ranked = struct { word: []const u8, times: usize };

fn isBlank(character: u8) bool {
    // A function of libc, and so one of Brawn's.
    return character != 0 and strchr(" \n", character) != null;
}

fn count(text: []const u8, words: *Words) void {
    var at: usize = 0;
    while (at < text.len) {
        var end = at;
        while (end < text.len and !isBlank(text[end])) end += 1;
        if (end > at) {
            const entry = words.getOrPutValue(allocator, text[at..end], 0) catch @panic("no memory");
            entry.value_ptr.* += 1;
        }
        at = end + 1;
    }
}

fn comesFirst(_: void, a: Ranked, b: Ranked) bool {
    return a.times > b.times or (a.times == b.times and std.mem.order(u8, a.word, b.word) == .lt);
}

pub fn main() !void {
    var text: std.ArrayList(u8) = .empty;
    defer text.deinit(allocator);
    var buffer: [4096]u8 = undefined;
    while (true) {
        const length = std.c.read(0, &buffer, buffer.len);
        if (length <= 0) break;
        try text.appendSlice(allocator, buffer[0..@intCast(length)]);
    }
    var middle = text.items.len / 2;
    while (middle < text.items.len and !isBlank(text.items[middle])) middle += 1;

    var theirs: Words = .empty;
    defer theirs.deinit(allocator);
    const thread = try std.Thread.spawn(.{}, count, .{ text.items[middle..], &theirs });
    var words: Words = .empty;
    defer words.deinit(allocator);
    count(text.items[0..middle], &words);
    thread.join();

    var entries = theirs.iterator();
    while (entries.next()) |entry| {
        const ours = try words.getOrPutValue(allocator, entry.key_ptr.*, 0);
        ours.value_ptr.* += entry.value_ptr.*;
    }
    var list: std.ArrayList(Ranked) = .empty;
    defer list.deinit(allocator);
    entries = words.iterator();
    while (entries.next()) |entry| {
        try list.append(allocator, .{ .word = entry.key_ptr.*, .times = entry.value_ptr.* });
    }
    std.mem.sort(Ranked, list.items, {}, comesFirst);
    for (list.items[0..@min(3, list.items.len)]) |found| {
        // C's own block, and so C's to free.
        const word = strndup(found.word.ptr, found.word.len) orelse return error.OutOfMemory;
        defer free(word);
        _ = std.c.printf("%s %zu\n", word, found.times);
    }
}
