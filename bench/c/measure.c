/* measure OUT CMD ARG...: runs a command; OUT gets "wall_s user_s sys_s maxrss_kib exit page_faults" of it and its
 * children. */
#include "common.h"
#include <sys/resource.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: measure OUT CMD ARG...\n");
        return 2;
    }
    int64_t start = now_ns(CLOCK_MONOTONIC);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        fail(argv[2]);
    }
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        fail("wait4");
    }
    double wall = (now_ns(CLOCK_MONOTONIC) - start) / 1e9;
    FILE *out = fopen(argv[1], "w");
    if (out == NULL) {
        fail(argv[1]);
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    fprintf(out, "%.4f %ld.%06ld %ld.%06ld %ld %d %ld\n", wall, used.ru_utime.tv_sec, used.ru_utime.tv_usec,
            used.ru_stime.tv_sec, used.ru_stime.tv_usec, used.ru_maxrss, code,
            used.ru_minflt + used.ru_majflt);
    fclose(out);
    return code;
}
