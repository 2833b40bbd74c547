/* callloop FILE: ns per system call in a C loop: "name median half_of_the_middle_spread", a line each. */
#include "common.h"
#include <sys/stat.h>

enum { ROUNDS = 15, CALLS = 200000 };

static int fd;

static long call_getppid(void) { return getppid(); }

static long call_fstat(void) {
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_size : -1;
}

static long call_pread(void) {
    char buffer[8];
    return pread(fd, buffer, sizeof buffer, 0);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, long (*call)(void)) {
    double ns[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = now_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++) {
            if (call() < 0) {
                fail(name);
            }
        }
        ns[round] = (double)(now_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    qsort(ns, ROUNDS, sizeof ns[0], compare);
    printf("%s %.2f %.2f\n", name, ns[ROUNDS / 2], (ns[ROUNDS * 3 / 4] - ns[ROUNDS / 4]) / 2);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: callloop FILE\n");
        return 2;
    }
    fd = open(argv[1], O_RDONLY);
    if (fd < 0) {
        fail(argv[1]);
    }
    measure("getppid", call_getppid);
    measure("fstat", call_fstat);
    measure("pread", call_pread);
    return 0;
}
