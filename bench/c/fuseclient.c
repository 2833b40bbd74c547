/*
 * fuseclient DIRECTORY CPU time SERVER_PID ROUNDS ROUND_MS WARM_MS WORK...
 * fuseclient DIRECTORY CPU count TIMES WORK
 *
 * Uses a mounted file system that has the tree of libfuse/tree.h, on one CPU (-1: any). `time` prints for each WORK a
 * line "WORK MEDIAN MIN CPU": ns per operation, the median and the least of the rounds, and the CPU time of the server
 * per operation over all of them. `count` does the work TIMES times and prints nothing.
 *
 * WORK: list:N        opendir, readdir to the end, closedir, of the directory dN
 *       ls:N          the same with lstat of every entry, as ls -l does
 *       getattr       fstat of an open file
 *       open          open, read 4 KiB, close
 *       seqread:SIZE  SIZE bytes of `data` after the other, nothing of it in the page cache
 *       randread:SIZE ... at places all over the file, each read once
 *       seqwrite:SIZE, randwrite:SIZE
 */
#define _GNU_SOURCE
#include "common.h"
#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>

enum { MOST_ROUNDS = 1000, CLOCK_EVERY = 8, STRIDE = 7919 };

static struct {
    const char *directory;
    long entries;
    int file;
    int data;
    long size;
    long pieces;
    char *buffer;
} at;

struct work {
    const char *name;
    void (*prepare)(void);
    void (*round)(void);
    void (*operation)(long i);
    int is_io;
};

static void nothing(void) {}

static void list(int with_attributes) {
    DIR *directory = opendir(at.directory);
    if (directory == NULL) {
        fail(at.directory);
    }
    long found = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        struct stat status;
        if (with_attributes && fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            fail(entry->d_name);
        }
        found++;
    }
    closedir(directory);
    if (found != at.entries) {
        fprintf(stderr, "%s: %ld entries, not %ld\n", at.directory, found, at.entries);
        exit(1);
    }
}

static void prepare_list(void) {
    static char name[32];
    at.entries = at.size;
    snprintf(name, sizeof name, "d%ld", at.entries);
    at.directory = name;
}

static void do_list(long i) {
    (void)i;
    list(0);
}

static void do_ls(long i) {
    (void)i;
    list(1);
}

static void open_small(void) {
    at.file = open("small", O_RDONLY);
    if (at.file < 0) {
        fail("small");
    }
}

static void do_getattr(long i) {
    (void)i;
    struct stat status;
    if (fstat(at.file, &status) != 0 || status.st_size != 4096) {
        fail("fstat");
    }
}

static void do_open(long i) {
    (void)i;
    char buffer[4096];
    int file = open("small", O_RDONLY);
    if (file < 0 || read(file, buffer, sizeof buffer) != sizeof buffer || close(file) != 0) {
        fail("small");
    }
}

static void open_data(void) {
    struct stat status;
    at.data = open("data", O_RDWR);
    if (at.data < 0 || fstat(at.data, &status) != 0) {
        fail("data");
    }
    at.pieces = status.st_size / at.size;
    if (at.size <= 0 || at.pieces == 0 || (at.buffer = malloc(at.size)) == NULL) {
        fail("size");
    }
    memset(at.buffer, 'w', at.size);
}

/* Every round starts with nothing of the file in the page cache, and reads or writes each piece once. */
static void drop_pages(void) {
    if (posix_fadvise(at.data, 0, 0, POSIX_FADV_DONTNEED) != 0) {
        fail("posix_fadvise");
    }
}

static void open_data_randomly(void) {
    open_data();
    if (posix_fadvise(at.data, 0, 0, POSIX_FADV_RANDOM) != 0) {
        fail("posix_fadvise");
    }
    while (at.pieces % STRIDE == 0) {
        at.pieces--;
    }
}

static long scattered(long i) { return i % at.pieces * STRIDE % at.pieces * at.size; }

static void checked(long done) {
    if (done != at.size) {
        fail("read or write");
    }
}

static void do_seqread(long i) { checked(pread(at.data, at.buffer, at.size, i % at.pieces * at.size)); }

static void do_randread(long i) { checked(pread(at.data, at.buffer, at.size, scattered(i))); }

static void do_seqwrite(long i) { checked(pwrite(at.data, at.buffer, at.size, i % at.pieces * at.size)); }

static void do_randwrite(long i) { checked(pwrite(at.data, at.buffer, at.size, scattered(i))); }

static const struct work WORKS[] = {
    {"list", prepare_list, nothing, do_list, 0},
    {"ls", prepare_list, nothing, do_ls, 0},
    {"getattr", open_small, nothing, do_getattr, 0},
    {"open", nothing, nothing, do_open, 0},
    {"seqread", open_data, drop_pages, do_seqread, 1},
    {"randread", open_data_randomly, drop_pages, do_randread, 1},
    {"seqwrite", open_data, drop_pages, do_seqwrite, 1},
    {"randwrite", open_data_randomly, drop_pages, do_randwrite, 1},
};

static const struct work *work_of(const char *argument) {
    size_t length = strcspn(argument, ":");
    at.size = argument[length] == ':' ? atol(argument + length + 1) : 0;
    for (size_t i = 0; i < sizeof WORKS / sizeof WORKS[0]; i++) {
        if (strlen(WORKS[i].name) == length && strncmp(WORKS[i].name, argument, length) == 0) {
            return &WORKS[i];
        }
    }
    fprintf(stderr, "no work '%s'\n", argument);
    exit(2);
}

static void close_files(void) {
    if (at.file > 0) {
        close(at.file);
    }
    if (at.data > 0) {
        close(at.data);
    }
    free(at.buffer);
    memset(&at, 0, sizeof at);
}

/* One round: at most so long, and for a file at most once through it. Returns ns per operation. */
static double run_round(const struct work *work, long round_ms, long *operations) {
    work->round();
    long most = work->is_io ? at.pieces : INT64_MAX;
    int64_t start = now_ns(CLOCK_MONOTONIC), end = start + round_ms * 1000000, now = start;
    long i = 0;
    while (i < most && now < end) {
        for (int k = 0; k < CLOCK_EVERY && i < most; k++) {
            work->operation(i++);
        }
        now = now_ns(CLOCK_MONOTONIC);
    }
    *operations += i;
    return (double)(now - start) / i;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *argument, clockid_t server, int rounds, long round_ms, long warm_ms) {
    const struct work *work = work_of(argument);
    work->prepare();
    long operations = 0;
    for (int64_t end = now_ns(CLOCK_MONOTONIC) + warm_ms * 1000000; now_ns(CLOCK_MONOTONIC) < end;) {
        run_round(work, warm_ms, &operations);
    }
    double ns[MOST_ROUNDS];
    operations = 0;
    int64_t cpu = 0;
    for (int round = 0; round < rounds; round++) {
        int64_t before = now_ns(server);
        ns[round] = run_round(work, round_ms, &operations);
        cpu += now_ns(server) - before;
    }
    qsort(ns, rounds, sizeof ns[0], compare);
    printf("%s %.1f %.1f %.1f\n", argument, ns[rounds / 2], ns[0], (double)cpu / operations);
    fflush(stdout);
    close_files();
}

static void count(long times, const char *argument) {
    const struct work *work = work_of(argument);
    work->prepare();
    work->round();
    for (long i = 0; i < times; i++) {
        work->operation(i);
    }
    close_files();
}

static void stay_on(int cpu) {
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {
            fail("sched_setaffinity");
        }
    }
}

int main(int argc, char **argv) {
    int times = argc > 7 && strcmp(argv[3], "time") == 0;
    if (!times && !(argc == 6 && strcmp(argv[3], "count") == 0)) {
        fprintf(stderr, "usage: fuseclient DIRECTORY CPU time SERVER_PID ROUNDS ROUND_MS WARM_MS WORK...\n"
                        "       fuseclient DIRECTORY CPU count TIMES WORK\n");
        return 2;
    }
    if (chdir(argv[1]) != 0) {
        fail(argv[1]);
    }
    stay_on(atoi(argv[2]));
    if (!times) {
        count(atol(argv[4]), argv[5]);
        return 0;
    }
    clockid_t server;
    int rounds = atoi(argv[5]);
    if ((errno = clock_getcpuclockid(atoi(argv[4]), &server)) != 0) {
        fail("clock_getcpuclockid");
    }
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "1 to %d rounds\n", MOST_ROUNDS);
        return 2;
    }
    for (int i = 8; i < argc; i++) {
        measure(argv[i], server, rounds, atol(argv[6]), atol(argv[7]));
    }
    return 0;
}
