// Message catalogues: libc allocates a node per domain and per catalogue inside and keeps them for ever.
// The catalogue is written by the program itself, so no locale need be installed.
#include "check.h"
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <pthread.h>
#include <sys/stat.h>

enum { DOMAINS = 60, THREADS = 4 };

// The layout is the one of GNU gettext's .mo files: a header of seven words, two tables of (length,
// offset), sorted by the original, then the strings.
static void write_catalogue(const char *path, const char *const originals[], const char *const translations[],
                            const size_t original_sizes[], const size_t translation_sizes[], uint32_t count) {
    uint32_t words[7 + 4 * 8];
    uint32_t position = (7 + 4 * count) * 4;
    CHECK(count <= 8, "the tables have room for eight strings");
    uint32_t header[7] = {0x950412deU, 0, count, 7 * 4, (7 + 2 * count) * 4, 0, position};
    memcpy(words, header, sizeof header);
    for (uint32_t i = 0; i < count; i++) {
        words[7 + 2 * i] = (uint32_t)original_sizes[i];
        words[8 + 2 * i] = position;
        position += (uint32_t)original_sizes[i] + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        words[7 + 2 * (count + i)] = (uint32_t)translation_sizes[i];
        words[8 + 2 * (count + i)] = position;
        position += (uint32_t)translation_sizes[i] + 1;
    }
    FILE *file = fopen(path, "w");
    CHECK(file != NULL, "cannot create %s", path);
    fwrite(words, 4, 7 + 4 * count, file);
    for (uint32_t i = 0; i < count; i++)
        fwrite(originals[i], 1, original_sizes[i] + 1, file);
    for (uint32_t i = 0; i < count; i++)
        fwrite(translations[i], 1, translation_sizes[i] + 1, file);
    CHECK(fclose(file) == 0, "cannot write %s", path);
}

static void write_all(void) {
    static const char *const originals[] = {"", "%d block\0%d blocks", "memory"};
    static const char *const translations[] = {
        "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n",
        "%d Block\0%d Stapel", "Speicher"};
    const size_t original_sizes[] = {0, 18, 6};
    const size_t translation_sizes[] = {strlen(translations[0]), 18, 8};
    mkdir("catalogues", 0700);
    mkdir("catalogues/de_DE", 0700);
    mkdir("catalogues/de_DE/LC_MESSAGES", 0700);
    for (int i = 0; i < DOMAINS; i++) {
        char path[100];
        snprintf(path, sizeof path, "catalogues/de_DE/LC_MESSAGES/domain%d.mo", i);
        write_catalogue(path, originals, translations, original_sizes, translation_sizes, 3);
    }
    // A locale definition of musl's own: MUSL_LOCPATH/NAME in the same format.
    static const char *const day[] = {"", "Sunday"}, *const tag[] = {"", "Sonntag"};
    write_catalogue("catalogues/de_DE.UTF-8", day, tag, (const size_t[]){0, 6}, (const size_t[]){0, 7}, 2);
}

static void translate(const char *domain) {
    const char *text = dgettext(domain, "memory");
    CHECK(strcmp(text, "Speicher") == 0, "%s: \"memory\" is \"%s\"", domain, text);
    text = dngettext(domain, "%d block", "%d blocks", 1);
    CHECK(strcmp(text, "%d Block") == 0, "%s: the singular is \"%s\"", domain, text);
    text = dngettext(domain, "%d block", "%d blocks", 5);
    CHECK(strcmp(text, "%d Stapel") == 0, "%s: the plural is \"%s\"", domain, text);
    text = dgettext(domain, "not in the catalogue");
    CHECK(strcmp(text, "not in the catalogue") == 0, "%s: an unknown text is \"%s\"", domain, text);
}

static void *translate_all(void *unused) {
    (void)unused;
    for (int i = 0; i < DOMAINS; i++) {
        char domain[32];
        snprintf(domain, sizeof domain, "domain%d", i);
        translate(domain);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    watchdog(60);
    write_all();
    char *folder = realpath("catalogues", NULL);
    CHECK(folder != NULL, "no absolute path");
    CHECK(setenv("MUSL_LOCPATH", folder, 1) == 0, "setenv failed");
    CHECK(setlocale(LC_ALL, "de_DE.UTF-8") != NULL, "setlocale failed");
    CHECK(strcmp(nl_langinfo(DAY_1), "Sonntag") == 0, "the first day is \"%s\"", nl_langinfo(DAY_1));
    // musl looks for the part of the name before the dot as well.
    for (int i = 0; i < DOMAINS; i++) {
        char domain[32];
        snprintf(domain, sizeof domain, "domain%d", i);
        char *bound = bindtextdomain(domain, folder);
        CHECK(bound != NULL && strcmp(bound, folder) == 0, "bindtextdomain failed");
    }
    CHECK(strcmp(textdomain("domain1"), "domain1") == 0, "textdomain failed");
    watched_step = "threads translate";
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, translate_all, NULL) == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    watched_step = "translate again";
    for (int i = 0; i < 20 * scale; i++)
        translate_all(NULL);
    CHECK(strcmp(gettext("memory"), "Speicher") == 0, "gettext of the default domain failed");
    free(folder);
    return passed();
}
