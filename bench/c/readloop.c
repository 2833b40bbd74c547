/* readloop FILE PIECE ROUNDS: reads a file piece by piece with pread into one buffer: "wall_ns cpu_ns" per piece, a round
 * a line. */
#include "common.h"
#include <sys/stat.h>

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: readloop FILE PIECE ROUNDS\n");
        return 2;
    }
    int fd = open(argv[1], O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        fail(argv[1]);
    }
    long piece = atol(argv[2]), rounds = atol(argv[3]);
    char *buffer = malloc(piece);
    for (long round = 0; round < rounds; round++) {
        int64_t wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        long pieces = 0;
        for (off_t at = 0; at + piece <= status.st_size; at += piece, pieces++) {
            if (pread(fd, buffer, piece, at) != piece) {
                fail("pread");
            }
        }
        wall = now_ns(CLOCK_MONOTONIC) - wall;
        cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        printf("%.2f %.2f\n", (double)wall / pieces, (double)cpu / pieces);
    }
    return 0;
}
