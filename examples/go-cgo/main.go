// Counts the words of standard input: C does it, on the C heap, called by several goroutines at once.
package main

/*
#include <stdlib.h>
#include "words.h"
*/
import "C"

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unsafe"
)

const workers = 4

func count(lines []string) *C.struct_words {
	words := C.words_new()
	for _, line := range lines {
		text := C.CString(line)
		if words == nil || C.words_add(words, text, C.size_t(len(line))) != 0 {
			panic("no memory")
		}
		C.free(unsafe.Pointer(text))
	}
	return words
}

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	lines := strings.Split(string(text), "\n")
	var parts [workers]*C.struct_words
	var group sync.WaitGroup
	for i := range parts {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			parts[i] = count(lines[len(lines)*i/workers : len(lines)*(i+1)/workers])
		}(i)
	}
	group.Wait()
	for _, part := range parts[1:] {
		if C.words_merge(parts[0], part) != 0 {
			panic("no memory")
		}
		C.words_free(part)
	}
	var times C.size_t
	for i := 0; i < 3; i++ {
		word := C.words_take(parts[0], &times)
		if word == nil {
			break
		}
		fmt.Println(C.GoString(word), times)
		C.free(unsafe.Pointer(word))
	}
	C.words_free(parts[0])
}
