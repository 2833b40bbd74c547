/* dedupetree KIND DIR FILES: makes a tree whose files are equal, alike or small, with content that does not compress.
 * equal: 4 MiB each, all equal. alike: half of them equal in pairs, half alike but for the last block.
 * small: 0.5 to 16 KiB, every fourth a copy of one before. tiny: up to 4,000 bytes of one repeated content.
 * clones: 4 MiB each, all sharing the blocks of the first. */
#include "common.h"
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { LARGE = 4 << 20, BLOCK = 4096, KEPT = 1000, FILES_IN_DIRECTORY = 1000 };

static uint64_t state = 1;
static const char *top;

static void fill(void *content, int bytes) {
    uint64_t *words = content;
    for (int i = 0; i < (bytes + 7) / 8; i++) {
        words[i] = mix(&state);
    }
}

static int create(int number) {
    char name[4096];
    if (number % FILES_IN_DIRECTORY == 0) {
        snprintf(name, sizeof name, "%s/d%d", top, number / FILES_IN_DIRECTORY);
        if (mkdir(name, 0755) != 0) {
            fail(name);
        }
    }
    snprintf(name, sizeof name, "%s/d%d/f%d", top, number / FILES_IN_DIRECTORY, number);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0644);
    if (fd < 0) {
        fail(name);
    }
    return fd;
}

static void put(int number, const void *content, int bytes) {
    int fd = create(number);
    if (write(fd, content, bytes) != bytes) {
        fail("write");
    }
    close(fd);
}

static void large(int files, int alike) {
    char *common = malloc(LARGE), *pair = malloc(LARGE);
    fill(common, LARGE);
    for (int i = 0; i < files; i++) {
        if (!alike) {
            put(i, common, LARGE);
        } else if (i < files / 2) {
            if (i % 2 == 0) {
                fill(pair, LARGE);
            }
            put(i, pair, LARGE);
        } else {
            fill(common + LARGE - BLOCK, BLOCK);
            put(i, common, LARGE);
        }
    }
}

static void small(int files) {
    static char content[KEPT][16384];
    static int bytes[KEPT];
    for (int i = 0; i < files; i++) {
        int at = i < KEPT ? i : (int)(mix(&state) % KEPT);
        if (i % 4 != 3 || i < KEPT) {
            bytes[at] = 512 + (int)(mix(&state) % (16384 - 512));
            fill(content[at], bytes[at]);
        }
        put(i, content[at], bytes[at]);
    }
}

static void tiny(int files) {
    static char content[4008];
    fill(content, sizeof content);
    for (int i = 0; i < files; i++) {
        put(i, content, 1 + (int)(mix(&state) % 4000));
    }
}

static void clones(int files) {
    char *common = malloc(LARGE);
    fill(common, LARGE);
    int first = create(0);
    if (write(first, common, LARGE) != LARGE) {
        fail("write");
    }
    for (int i = 1; i < files; i++) {
        int fd = create(i);
        if (ioctl(fd, FICLONE, first) != 0) {
            fail("FICLONE");
        }
        close(fd);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: dedupetree equal|alike|small|tiny|clones DIR FILES\n");
        return 2;
    }
    top = argv[2];
    int files = atoi(argv[3]);
    switch (argv[1][0]) {
        case 'e': large(files, 0); break;
        case 'a': large(files, 1); break;
        case 's': small(files); break;
        case 't': tiny(files); break;
        default: clones(files);
    }
    return 0;
}
