// Names and directories: scandir, glob, nftw, opendir, realpath, getcwd, and the readers of account files,
// all of which hand out, keep or resize memory that libc has allocated.
#include "check.h"
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

enum { FILES = 150, ROUNDS = 15 };

static int visited;

static void create_files(void) {
    char name[64];
    mkdir("tree", 0700);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "tree/folder%02d", i % 10);
        mkdir(name, 0700);
        snprintf(name, sizeof name, "tree/folder%02d/file%03d.%s", i % 10, i, i % 3 ? "txt" : "dat");
        int file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        CHECK(file >= 0, "cannot create %s", name);
        close(file);
    }
}

// The mode counts where a file is made, and the flag for exec is set at once.
static void opening(void) {
    umask(0);
    int file = open("opened", O_CREAT | O_RDWR | O_EXCL | O_CLOEXEC, 0641);
    struct stat status;
    CHECK(file >= 0 && fstat(file, &status) == 0, "cannot create a file");
    CHECK((status.st_mode & 0777) == 0641, "its mode is %o", (unsigned)status.st_mode);
    CHECK(fcntl(file, F_GETFD) == FD_CLOEXEC, "it stays open in other programs");
    close(file);
    file = open("opened", O_RDONLY);
    CHECK(file >= 0 && fcntl(file, F_GETFD) == 0, "it does not stay open in other programs");
    close(file);
    file = open(".", O_TMPFILE | O_RDWR, 0640);
    CHECK(file >= 0 || errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT, "no file without a name");
    CHECK(file < 0 || (fstat(file, &status) == 0 && (status.st_mode & 0777) == 0640), "another mode");
    close(file);
    errno = 0;
    CHECK(open("opened", O_CREAT | O_EXCL | O_RDWR, 0600) == -1 && errno == EEXIST, "made twice");
    CHECK(open("nothing/there", O_RDONLY) == -1 && errno == ENOENT, "errno is %d", errno);
    unlink("opened");
}

static int is_text(const struct dirent *entry) {
    free(malloc(20));
    return strstr(entry->d_name, ".txt") != NULL;
}

static int reversed(const struct dirent **first, const struct dirent **second) {
    return strcmp((*second)->d_name, (*first)->d_name);
}

static void directories(void) {
    struct dirent **entries = NULL;
    int all = scandir("tree/folder00", &entries, NULL, alphasort);
    CHECK(all == FILES / 10 + 2, "scandir found %d entries", all);
    for (int i = 0; i < all; i++)
        free(entries[i]);
    free(entries);
    int texts = scandir("tree/folder01", &entries, is_text, reversed);
    CHECK(texts == FILES / 10 * 2 / 3, "scandir found %d texts", texts);
    for (int i = 1; i < texts; i++)
        CHECK(strcmp(entries[i - 1]->d_name, entries[i]->d_name) > 0, "scandir did not sort");
    for (int i = 0; i < texts; i++)
        free(entries[i]);
    free(entries);
    for (int i = 0; i < 30; i++) {
        DIR *directory = opendir("tree");
        CHECK(directory != NULL && readdir(directory) != NULL, "opendir failed");
        CHECK(closedir(directory) == 0, "closedir failed");
    }
}

static int count_entry(const char *path, const struct stat *status, int type, struct FTW *position) {
    (void)path, (void)status, (void)type, (void)position;
    visited++;
    return 0;
}

static void patterns(void) {
    glob_t found;
    CHECK(glob("tree/*/file*.dat", 0, NULL, &found) == 0, "glob found nothing");
    CHECK(found.gl_pathc == FILES / 3, "glob found %zu files", (size_t)found.gl_pathc);
    CHECK(glob("tree/folder0[0-4]/*.txt", GLOB_APPEND, NULL, &found) == 0, "glob cannot append");
    CHECK(found.gl_pathc == FILES / 3 + FILES / 3, "glob found %zu files", (size_t)found.gl_pathc);
    for (size_t i = 1; i < FILES / 3; i++)
        CHECK(strcmp(found.gl_pathv[i - 1], found.gl_pathv[i]) < 0, "glob did not sort");
    globfree(&found);
    CHECK(glob("tree/none*", 0, NULL, &found) == GLOB_NOMATCH, "glob found what is not there");
    found.gl_offs = 3;
    CHECK(glob("tree/folder*", GLOB_DOOFFS | GLOB_MARK, NULL, &found) == 0 && found.gl_pathv[2] == NULL,
          "GLOB_DOOFFS");
    globfree(&found);
    visited = 0;
    CHECK(nftw("tree", count_entry, 4, FTW_PHYS | FTW_DEPTH) == 0, "nftw failed");
    CHECK(visited == FILES + 10 + 1, "nftw visited %d entries", visited);
}

static void names(void) {
    char *here = getcwd(NULL, 0), *also_here = get_current_dir_name(), *resolved = realpath(".", NULL);
    CHECK(here != NULL && also_here != NULL && resolved != NULL, "no name for this folder");
    CHECK(strcmp(here, resolved) == 0, "getcwd says %s, realpath %s", here, resolved);
    char *file = realpath("tree/../tree/folder00/./file000.dat", NULL);
    CHECK(file != NULL && strncmp(file, here, strlen(here)) == 0, "realpath gave %s", file);
    CHECK(realpath("tree/none", NULL) == NULL && errno == ENOENT, "realpath of a missing file");
    free(file);
    free(resolved);
    free(also_here);
    free(here);
}

static void accounts(void) {
    FILE *file = fopen("accounts", "w+");
    CHECK(file != NULL, "cannot create the file");
    for (int i = 0; i < 100; i++)
        fprintf(file, "user%d:x:%d:%d:%0*d:/home/user%d:/bin/sh\n", i, i, i, 1 + i * 20, 0, i);
    rewind(file);
    for (unsigned i = 0; i < 100; i++) {
        struct passwd *user = fgetpwent(file);
        CHECK(user != NULL && user->pw_uid == i && strlen(user->pw_gecos) == 1 + i * 20, "user %u is wrong",
              i);
    }
    CHECK(fgetpwent(file) == NULL, "a user too many");
    fclose(file);
    file = fopen("accounts", "w+");
    CHECK(file != NULL, "cannot create the file");
    for (int i = 0; i < 60; i++) {
        fprintf(file, "group%d:x:%d:", i, i);
        for (int member = 0; member < i; member++)
            fprintf(file, "%smember%d", member ? "," : "", member);
        putc('\n', file);
    }
    rewind(file);
    for (unsigned i = 0; i < 60; i++) {
        struct group *group = fgetgrent(file);
        CHECK(group != NULL && group->gr_gid == i, "group %u is wrong", i);
        unsigned members = 0;
        while (group->gr_mem[members] != NULL)
            members++;
        CHECK(members == i, "group %u has %u members", i, members);
    }
    fclose(file);
    unlink("accounts");
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv);
    watchdog(120);
    create_files();
    struct growth growth = {0};
    for (int i = 0; i < rounds; i++) {
        watched_round = i;
        watched_step = "opening";
        opening();
        watched_step = "directories";
        directories();
        watched_step = "patterns";
        patterns();
        watched_step = "names";
        names();
        watched_step = "accounts";
        accounts();
        growth_sample(&growth, i, rounds);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 1024), "names and directories");
    return passed();
}
