/* copyloop FROM TO: the floor of catching up: read + write of 64 KiB, then fsync. */
#include "common.h"

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: copyloop FROM TO\n");
        return 2;
    }
    static char buffer[64 << 10];
    int from = open(argv[1], O_RDONLY), to = open(argv[2], O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (from < 0 || to < 0) {
        fail("open");
    }
    for (;;) {
        ssize_t n = read(from, buffer, sizeof buffer);
        if (n < 0) {
            fail("read");
        }
        if (n == 0) {
            break;
        }
        if (write(to, buffer, n) != n) {
            fail("write");
        }
    }
    if (fsync(to) != 0) {
        fail("fsync");
    }
    return 0;
}
