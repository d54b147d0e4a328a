## Counts the words of standard input, in two threads.
import std/[algorithm, strutils, tables, threadpool]

proc count(text: string): CountTable[string] =
  for word in text.splitWhitespace:
    result.inc word

proc report(text: string): string =
  ## The counts as text: a table does not go from one thread to another.
  for word, times in count(text):
    result.add word & " " & $times & "\n"

let text = stdin.readAll
# The text is divided between two words.
var middle = text.len div 2
while middle < text.len and text[middle] notin Whitespace:
  inc middle

let second = spawn report(text[middle .. ^1])
var words = count(text[0 ..< middle])
for line in splitLines(^second):
  if line.len > 0:
    let parts = line.split(' ')
    words.inc(parts[0], parseInt(parts[1]))

var list: seq[(string, int)]
for word, times in words:
  list.add (word, times)
list.sort do (a, b: (string, int)) -> int:
  result = cmp(b[1], a[1])
  if result == 0:
    result = cmp(a[0], b[0])
for (word, times) in list[0 ..< min(3, list.len)]:
  echo word, " ", times
