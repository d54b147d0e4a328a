-- Work that lives by the allocator: strings of all lengths, tables that grow and go, closures, coroutines, and a
-- collector that gives everything back. The answer is known beforehand and is checked.
--
--     lua work.lua ROUNDS [half]
--
-- With "half", a round has about half as much of everything.

local rounds = tonumber(arg and arg[1]) or 1
local half = arg and arg[2] == "half"
local many = half and 50000 or 100000

-- Counts words that a coroutine makes, and notes where each stood.
local function words()
    local seen, total = {}, 0
    local source = coroutine.wrap(function()
        for number = 1, many do
            coroutine.yield(("word%d"):format(number * 7919 % 5000))
        end
    end)
    for word in source do
        local entry = seen[word] or { count = 0, places = {} }
        entry.count = entry.count + 1
        entry.places[#entry.places + 1] = ("%s at %d"):format(word, total)
        seen[word] = entry
        total = total + 1
    end
    local lines = {}
    for word, entry in pairs(seen) do
        lines[#lines + 1] = word .. ":" .. entry.count .. ":" .. table.concat(entry.places, ",")
    end
    table.sort(lines)
    return #table.concat(lines, "\n")
end

-- Builds and drops trees of small tables.
local function tree(depth)
    if depth == 0 then
        return { 1 }
    end
    return { tree(depth - 1), tree(depth - 1) }
end

local function nodes(branch)
    if not branch[2] then
        return branch[1]
    end
    return 1 + nodes(branch[1]) + nodes(branch[2])
end

-- Rewrites a text that grows to a few hundred KiB, so that large blocks come and go.
local function text()
    local parts, length = {}, 0
    for number = 1, half and 100 or 150 do
        parts[#parts + 1] = ("line %d with some words in it\n"):rep(number)
        local whole = table.concat(parts)
        length = length + #whole:gsub("%d+", "<%0>"):upper()
    end
    return length
end

-- Keeps a queue of closures, each with its own variables.
local function closures()
    local queue, first, sum = {}, 1, 0
    for number = 1, many do
        local kept = { number, tostring(number) }
        queue[number] = function() return kept[1] + #kept[2] end
        if number > 500 then
            sum = sum + queue[first]()
            queue[first] = nil
            first = first + 1
        end
    end
    return sum
end

local expected = half and "936679 65532 5151000 1225386144" or "1825579 131064 17214000 4950661144"
for round = 1, rounds do
    local trees = 0
    for _ = 1, half and 4 or 8 do
        trees = trees + nodes(tree(13))
    end
    local answer = table.concat({ words(), trees, text(), closures() }, " ")
    collectgarbage()
    if answer ~= expected then
        io.stderr:write("error: the answer of round ", round, " is ", answer, ", not ", expected, "\n")
        os.exit(1)
    end
    print(answer)
end
