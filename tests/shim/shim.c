/* Lets one call of a program to the system fail: the disk is full, the disk is broken, the process
 * is killed, the power is cut. Loaded before the C library (LD_PRELOAD), it counts every call that
 * changes a file below one folder, and notes what is written to standard output between them.
 * Written for whatever must keep its files whole, in Python or beneath it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTHING, KILL, FULL, BROKEN, SHORT, POWER };
enum { LOG_SIZE = 1 << 20, FILES = 4096 };

static char folder[PATH_MAX];
static int how, point, count, full;
static char calls[LOG_SIZE];
static size_t called;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What a cut of power loses: a file falls back to the size it had when it was last synchronised. */
static struct { char path[PATH_MAX]; off_t kept; int dirty; } files[FILES];
static int known;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void shim_arm(const char *below, int what, int at) {
    snprintf(folder, sizeof folder, "%s", below);
    how = what, point = at, count = full = known = 0;
    called = 0, calls[0] = 0;
}

int shim_count(void) { return count; }
const char *shim_calls(void) { return calls; }

static int is_below(const char *path) {
    size_t length = strlen(folder);
    return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int whole_path(int at, const char *path, char *found) {
    char start[PATH_MAX];
    if (path[0] == '/') {
        snprintf(found, PATH_MAX, "%s", path);
        return 1;
    }
    if (at == AT_FDCWD) {
        if (!getcwd(start, sizeof start)) return 0;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        ssize_t length = readlink(link, start, sizeof start - 1);
        if (length < 0) return 0;
        start[length] = 0;
    }
    return snprintf(found, PATH_MAX, "%s/%s", start, path) < PATH_MAX;
}

static int path_of(int file, char *found) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, found, PATH_MAX - 1);
    if (length < 0) return 0;
    found[length] = 0;
    return 1;
}

static int place_of(const char *path) {
    for (int i = 0; i < known; i++)
        if (!strcmp(files[i].path, path)) return i;
    if (known == FILES) abort();
    snprintf(files[known].path, PATH_MAX, "%s", path);
    files[known].kept = 0, files[known].dirty = 0;
    return known++;
}

static void lose_what_is_not_on_disk(void) {
    for (int i = 0; i < known; i++)
        if (files[i].dirty && truncate(files[i].path, files[i].kept) && errno != ENOENT) abort();
}

/* How much a call needs of a disk: nothing, a call that goes through, room as well. */
enum { FREE, DISK, ROOM };

/* Return 0 where the call may go on, -1 where it has failed, 1 where half of it is to be done. */
static int fate(const char *name, const char *path, int needs) {
    int answers = !strcmp(name, "answer");
    if (!is_below(path) && !answers) return 0;
    pthread_mutex_lock(&lock);
    count += !answers;
    called += (size_t)snprintf(calls + called, LOG_SIZE - called, "%s %s\n", name, path);
    if (called >= LOG_SIZE) called = LOG_SIZE - 1;
    int here = count == point && !answers, found = 0;
    if (here && (how == KILL || how == POWER)) {
        if (how == POWER) lose_what_is_not_on_disk();
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (here && how == FULL) full = 1;
    /* A full disk stays full; names can still be taken away. */
    if (full && !answers && (needs == ROOM || (here && needs == DISK))) errno = ENOSPC, found = -1;
    if (here && how == BROKEN) errno = EIO, found = -1;
    if (here && how == SHORT && !strcmp(name, "write")) found = 1;
    pthread_mutex_unlock(&lock);
    return found;
}

static void wrote(const char *path) {
    pthread_mutex_lock(&lock);
    files[place_of(path)].dirty = 1;
    pthread_mutex_unlock(&lock);
}

static void synchronised(const char *path) {
    struct stat found;
    pthread_mutex_lock(&lock);
    int i = place_of(path);
    files[i].dirty = 0;
    files[i].kept = stat(path, &found) ? 0 : found.st_size;
    pthread_mutex_unlock(&lock);
}

static void renamed(const char *from, const char *to) {
    pthread_mutex_lock(&lock);
    int i = place_of(from), j = place_of(to);
    files[j].dirty = files[i].dirty, files[j].kept = files[i].kept;
    files[i].dirty = 0;
    pthread_mutex_unlock(&lock);
}

#define AS_WRITTEN(call, half)                                                                     \
    char path[PATH_MAX];                                                                           \
    if (!path_of(file, path)) return call;                                                         \
    int met = fate(file == STDOUT_FILENO ? "answer" : "write", path, ROOM);                           \
    if (met < 0) return -1;                                                                        \
    if (is_below(path)) wrote(path);                                                               \
    return met ? half : call;

ssize_t write(int file, const void *bytes, size_t size) {
    AS_WRITTEN(NEXT(write)(file, bytes, size), NEXT(write)(file, bytes, (size + 1) / 2))
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    AS_WRITTEN(NEXT(pwrite)(file, bytes, size, at), NEXT(pwrite)(file, bytes, (size + 1) / 2, at))
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    AS_WRITTEN(NEXT(pwrite64)(file, bytes, size, at), NEXT(pwrite64)(file, bytes, (size + 1) / 2, at))
}
ssize_t writev(int file, const struct iovec *parts, int many) {
    AS_WRITTEN(NEXT(writev)(file, parts, many), NEXT(writev)(file, parts, 1))
}

#define AS_SYNCHRONISED(name)                                                                      \
    int name(int file) {                                                                           \
        char path[PATH_MAX];                                                                       \
        if (!path_of(file, path)) return NEXT(name)(file);                                         \
        if (fate("fsync", path, DISK)) return -1;                                                     \
        int done = NEXT(name)(file);                                                               \
        if (!done && is_below(path)) synchronised(path);                                           \
        return done;                                                                               \
    }
AS_SYNCHRONISED(fsync)
AS_SYNCHRONISED(fdatasync)

static int opened(const char *name, int at, const char *path, int flags) {
    char whole[PATH_MAX];
    if (!(flags & (O_CREAT | O_TRUNC)) || !whole_path(at, path, whole)) return 0;
    return fate(name, whole, ROOM);
}

#define WITH_RIGHTS                                                                                \
    mode_t rights = 0;                                                                             \
    if (flags & O_CREAT) {                                                                         \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        rights = va_arg(rest, mode_t);                                                             \
        va_end(rest);                                                                              \
    }

#define AS_OPENED(name)                                                                            \
    int name(const char *path, int flags, ...) {                                                   \
        WITH_RIGHTS                                                                                \
        return opened("open", AT_FDCWD, path, flags) ? -1 : NEXT(name)(path, flags, rights);       \
    }
#define AS_OPENED_AT(name)                                                                         \
    int name(int at, const char *path, int flags, ...) {                                           \
        WITH_RIGHTS                                                                                \
        return opened("open", at, path, flags) ? -1 : NEXT(name)(at, path, flags, rights);         \
    }
AS_OPENED(open)
AS_OPENED(open64)
AS_OPENED_AT(openat)
AS_OPENED_AT(openat64)

static int one_path(const char *name, int at, const char *path, int needs) {
    char whole[PATH_MAX];
    return whole_path(at, path, whole) ? fate(name, whole, needs) : 0;
}

static int moved(int from_at, const char *from, int to_at, const char *to) {
    char whole[PATH_MAX], old[PATH_MAX];
    if (!whole_path(to_at, to, whole) || !whole_path(from_at, from, old)) return 0;
    if (fate("rename", whole, DISK)) return -1;
    if (is_below(whole)) renamed(old, whole);
    return 0;
}

int rename(const char *from, const char *to) {
    return moved(AT_FDCWD, from, AT_FDCWD, to) ? -1 : NEXT(rename)(from, to);
}
int renameat(int a, const char *from, int b, const char *to) {
    return moved(a, from, b, to) ? -1 : NEXT(renameat)(a, from, b, to);
}
int link(const char *from, const char *to) {
    return one_path("link", AT_FDCWD, to, ROOM) ? -1 : NEXT(link)(from, to);
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
    return one_path("link", b, to, ROOM) ? -1 : NEXT(linkat)(a, from, b, to, flags);
}
int unlink(const char *path) {
    return one_path("unlink", AT_FDCWD, path, FREE) ? -1 : NEXT(unlink)(path);
}
int unlinkat(int at, const char *path, int flags) {
    return one_path("unlink", at, path, FREE) ? -1 : NEXT(unlinkat)(at, path, flags);
}
int mkdir(const char *path, mode_t rights) {
    return one_path("mkdir", AT_FDCWD, path, ROOM) ? -1 : NEXT(mkdir)(path, rights);
}
int ftruncate(int file, off_t size) {
    char path[PATH_MAX];
    if (path_of(file, path) && fate("truncate", path, FREE)) return -1;
    return NEXT(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
    char path[PATH_MAX];
    if (path_of(file, path) && fate("truncate", path, FREE)) return -1;
    return NEXT(ftruncate64)(file, size);
}
