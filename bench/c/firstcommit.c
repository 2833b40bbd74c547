/*
 * firstcommit ARCHIVE SECONDS CMD ARG...: starts a command and looks every 500 us for new commits in the archive;
 * prints "ms name" for each in SECONDS, then ends the command with SIGTERM.
 */
#include "common.h"
#include <glob.h>
#include <signal.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: firstcommit ARCHIVE SECONDS CMD ARG...\n");
        return 2;
    }
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/hosts/*/log/*.zst", argv[1]);
    int64_t start = now_ns(CLOCK_MONOTONIC), end = start + (int64_t)(atof(argv[2]) * 1e9);
    pid_t child = fork();
    if (child == 0) {
        dup2(2, 1);
        execvp(argv[3], argv + 3);
        fail(argv[3]);
    }
    size_t seen = 0;
    for (int64_t now; (now = now_ns(CLOCK_MONOTONIC)) < end;) {
        glob_t found;
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (; seen < found.gl_pathc; seen++) {
                printf("%.1f %s\n", (now - start) / 1e6, found.gl_pathv[seen]);
            }
            globfree(&found);
        }
        usleep(500);
    }
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
    return 0;
}
