/* Counts primes in a table that lies in the program itself: nothing that a heap does matters to it. */
#include <stdio.h>

enum { MOST = 20000000 };

static unsigned char composite[MOST];

int main(void) {
    unsigned primes = 0;
    for (unsigned number = 2; number < MOST; number++) {
        if (composite[number]) {
            continue;
        }
        primes++;
        for (unsigned long multiple = (unsigned long)number * number; multiple < MOST; multiple += number) {
            composite[multiple] = 1;
        }
    }
    printf("%u\n", primes);
    return 0;
}
