/* kernelcompare DIR ROUNDS: how fast FIDEDUPERANGE compares two cached files of 4 MiB that differ in the last block, so
 * that nothing is shared: a line of GB/s for each round. */
#include "common.h"
#include <linux/fs.h>
#include <sys/ioctl.h>

enum { BYTES = 4 << 20, CALLS = 100 };

static int made(const char *directory, const char *name, char last) {
    static char content[BYTES];
    char path[4096];
    uint64_t state = 1;
    for (int i = 0; i < BYTES; i += 8) {
        uint64_t word = mix(&state);
        memcpy(content + i, &word, 8);
    }
    content[BYTES - 1] = last;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, content, BYTES) != BYTES || fsync(fd) != 0) {
        fail(path);
    }
    unlink(path);
    return fd;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: kernelcompare DIR ROUNDS\n");
        return 2;
    }
    struct file_dedupe_range *range = calloc(1, sizeof *range + sizeof(struct file_dedupe_range_info));
    int source = made(argv[1], "a", 1);
    range->src_length = BYTES;
    range->dest_count = 1;
    range->info[0].dest_fd = made(argv[1], "b", 2);
    for (int round = 0; round < atoi(argv[2]); round++) {
        int64_t start = now_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++) {
            if (ioctl(source, FIDEDUPERANGE, range) != 0) {
                fail("FIDEDUPERANGE");
            }
            if (range->info[0].status != FILE_DEDUPE_RANGE_DIFFERS) {
                fprintf(stderr, "kernelcompare: status %d\n", range->info[0].status);
                return 1;
            }
        }
        printf("%.2f\n", (double)CALLS * BYTES / (double)(now_ns(CLOCK_MONOTONIC) - start));
    }
    return 0;
}
