/*
 * The tree that all servers of the FUSE benchmark serve, and how the servers in C count. All of it lies in memory:
 *   d8, d1000   directories of 8 and 1,000 files f00000, f00001, ..., 4 KiB each
 *   small       a file of 4 KiB
 *   data        a large file that can be written in place
 * Every content is the start of one block of memory.
 */
#ifndef CHAGRES_BENCH_TREE_H
#define CHAGRES_BENCH_TREE_H

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROOT = 1, D8 = 2, D1000 = 3, SMALL = 4, DATA = 5, IN_D8 = 100, IN_D1000 = 1000, MOST = 1000, SMALL_BYTES = 4096 };

static char *content;
static size_t content_bytes;
static char names[MOST][8];
static double timeout_s;
static int best; /* everything that the library lets the kernel keep */

static const char *const ROOT_NAMES[] = {"d8", "d1000", "small", "data"};

/* Reads the arguments MOUNT TIMEOUT_S plain|best DATA_MIB and makes the content. */
static inline void tree_init(int argc, char **argv) {
    if (argc < 5 || (strcmp(argv[3], "plain") != 0 && strcmp(argv[3], "best") != 0)) {
        fprintf(stderr, "usage: %s MOUNT TIMEOUT_S plain|best DATA_MIB\n", argv[0]);
        exit(2);
    }
    timeout_s = atof(argv[2]);
    best = strcmp(argv[3], "best") == 0;
    content_bytes = (size_t)atol(argv[4]) << 20;
    content = malloc(content_bytes);
    if (content == NULL) {
        fprintf(stderr, "no memory for %s MiB\n", argv[4]);
        exit(1);
    }
    memset(content, 'c', content_bytes);
    for (int i = 0; i < MOST; i++) {
        snprintf(names[i], sizeof names[i], "f%05d", i);
    }
}

static inline int is_directory(long node) { return node <= D1000; }

static inline size_t size_of(long node) { return node == DATA ? content_bytes : SMALL_BYTES; }

static inline int children(long node) { return node == ROOT ? 4 : node == D8 ? 8 : node == D1000 ? MOST : 0; }

static inline long child(long node, int i) { return node == ROOT ? D8 + i : (node == D8 ? IN_D8 : IN_D1000) + i; }

static inline const char *name_of(long node, int i) { return node == ROOT ? ROOT_NAMES[i] : names[i]; }

/* The node of a name, or 0. */
static inline long look_up(long parent, const char *name, size_t length) {
    if (parent == ROOT) {
        for (int i = 0; i < 4; i++) {
            if (strlen(ROOT_NAMES[i]) == length && memcmp(ROOT_NAMES[i], name, length) == 0) {
                return D8 + i;
            }
        }
        return 0;
    }
    if (!is_directory(parent) || length != 6 || name[0] != 'f') {
        return 0;
    }
    int index = 0;
    for (int i = 1; i < 6; i++) {
        if (name[i] < '0' || name[i] > '9') {
            return 0;
        }
        index = index * 10 + name[i] - '0';
    }
    return index < children(parent) ? child(parent, index) : 0;
}

static inline void status_of(long node, struct stat *status) {
    memset(status, 0, sizeof *status);
    status->st_ino = node;
    status->st_mode = is_directory(node) ? S_IFDIR | 0755 : S_IFREG | 0644;
    status->st_nlink = is_directory(node) ? 2 : 1;
    status->st_size = is_directory(node) ? 0 : size_of(node);
    status->st_blocks = (status->st_size + 511) / 512;
}

/* How much of a file of this size there is to read at a position. */
static inline size_t readable(long node, size_t size, off_t position) {
    size_t end = size_of(node);
    return (size_t)position >= end ? 0 : size < end - position ? size : end - position;
}

/* What the file system was asked for. */
enum { GETATTR, LOOKUP, OPENDIR, READDIR, FILL, RELEASEDIR, OPEN, READ, WRITE, RELEASE, CALLBACKS };
static const char *const CALLBACK_NAMES[] = {
    "getattr", "lookup", "opendir", "readdir", "fill", "releasedir", "open", "read", "write", "release"};
static atomic_long called[CALLBACKS];

static inline void count(int callback) { atomic_fetch_add_explicit(&called[callback], 1, memory_order_relaxed); }

static inline void print_counts(void) {
    for (int i = 0; i < CALLBACKS; i++) {
        if (called[i] != 0) {
            printf("callback %s %ld\n", CALLBACK_NAMES[i], (long)called[i]);
        }
    }
}
#endif
