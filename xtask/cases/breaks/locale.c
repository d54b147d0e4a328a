/* Whether numbers are printed as the environment's locale has them; the test sets German. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[8];
    const char *const name = setlocale(LC_ALL, "");
    snprintf(text, sizeof text, "%.1f", 1.5);
    if (strcmp(text, "1,5") == 0)
        return 0;
    printf("%s prints %s\n", name == NULL ? "no locale" : name, text);
    return 1;
}
