/* loggen FILE MIB: writes log lines of 161 bytes until the file has MIB mebibytes (the last line whole). */
#include "common.h"

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: loggen FILE MIB\n");
        return 2;
    }
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) {
        fail(argv[1]);
    }
    enum { LINES = 4096 };
    static char block[LINES * LINE_BYTES + 1];
    int64_t wanted = atoll(argv[2]) << 20;
    uint64_t state = 42;
    int64_t time_ns = 1790000000000000000;
    long sequence = 0;
    for (int64_t written = 0; written < wanted;) {
        for (int i = 0; i < LINES; i++) {
            time_ns += mix(&state) % 2000000;
            make_line(block + i * LINE_BYTES, time_ns, 1, sequence++, &state);
        }
        ssize_t n = write(fd, block, LINES * LINE_BYTES);
        if (n != LINES * LINE_BYTES) {
            fail("write");
        }
        written += n;
    }
    return close(fd);
}
