/* What dlopen.c loads. */
int answer(void);
int answer(void) {
    return 42;
}
