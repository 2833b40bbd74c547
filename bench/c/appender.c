/*
 * appender DIR DIRECTORIES FILES PER_SECOND SECONDS: appends lines that begin with their time (CLOCK_REALTIME, ns) to
 * the files of mkfiles, PER_SECOND lines in all, evenly spread in time, one write each, one file after the other. The
 * descriptors stay open, as those of a service do. Prints the number of lines written and how late the worst was (us).
 */
#include "common.h"
#include <sys/resource.h>

static int *open_all(const char *directory, int directories, int files) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int *fds = calloc(files, sizeof *fds);
    char name[4096];
    for (int f = 0; f < files; f++) {
        snprintf(name, sizeof name, "%s/d%05d/f%06d.log", directory, f % directories, f);
        fds[f] = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (fds[f] < 0) {
            fail(name);
        }
    }
    return fds;
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: appender DIR DIRECTORIES FILES PER_SECOND SECONDS\n");
        return 2;
    }
    int files = atoi(argv[3]);
    double per_second = atof(argv[4]);
    int64_t lines = (int64_t)(per_second * atof(argv[5]));
    int *fds = open_all(argv[1], atoi(argv[2]), files);
    char line[LINE_BYTES + 1];
    uint64_t state = 11;
    int64_t worst = 0, start = now_ns(CLOCK_MONOTONIC);
    for (int64_t i = 0; i < lines; i++) {
        int64_t due = start + (int64_t)(i * (1e9 / per_second));
        int64_t late = now_ns(CLOCK_MONOTONIC) - due;
        if (late < 0) {
            struct timespec t = {due / 1000000000, due % 1000000000};
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
            }
        } else if (late > worst) {
            worst = late;
        }
        int file = (int)(i % files);
        make_line(line, now_ns(CLOCK_REALTIME), file, i / files, &state);
        if (write(fds[file], line, LINE_BYTES) != LINE_BYTES) {
            fail("write");
        }
    }
    printf("%lld %lld\n", (long long)lines, (long long)worst / 1000);
    return 0;
}
