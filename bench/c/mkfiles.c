/* mkfiles DIR DIRECTORIES FILES LINES: DIR/dNNNNN/fNNNNNN.log, FILES in all, LINES lines in each. */
#include "common.h"
#include <sys/stat.h>

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: mkfiles DIR DIRECTORIES FILES LINES\n");
        return 2;
    }
    int directories = atoi(argv[2]), files = atoi(argv[3]), lines = atoi(argv[4]);
    char name[4096], line[LINE_BYTES + 1];
    uint64_t state = 7;
    for (int d = 0; d < directories; d++) {
        snprintf(name, sizeof name, "%s/d%05d", argv[1], d);
        if (mkdir(name, 0755) != 0 && errno != EEXIST) {
            fail(name);
        }
    }
    for (int f = 0; f < files; f++) {
        snprintf(name, sizeof name, "%s/d%05d/f%06d.log", argv[1], f % directories, f);
        int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
        if (fd < 0) {
            fail(name);
        }
        for (int i = 0; i < lines; i++) {
            make_line(line, 0, f, i, &state);
            if (write(fd, line, LINE_BYTES) != LINE_BYTES) {
                fail("write");
            }
        }
        close(fd);
    }
    return 0;
}
