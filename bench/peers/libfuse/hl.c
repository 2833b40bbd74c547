/*
 * hl MOUNT TIMEOUT_S plain|best DATA_MIB [threads]: the tree served by libfuse's high level, by paths, until it is
 * unmounted; on one thread, or with the library's own number of threads.
 */
#define FUSE_USE_VERSION 312
#include "tree.h"
#include <fuse3/fuse.h>

static void *hl_init(struct fuse_conn_info *connection, struct fuse_config *config) {
    connection->want &= ~(best ? FUSE_CAP_AUTO_INVAL_DATA : FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO);
    config->kernel_cache = best;
    config->entry_timeout = config->attr_timeout = timeout_s;
    config->negative_timeout = 0;
    return NULL;
}

/* The node of a path, or 0. */
static long node_of(const char *path) {
    long node = ROOT;
    while (*path == '/' && path[1] != 0 && node != 0) {
        size_t length = strcspn(++path, "/");
        node = look_up(node, path, length);
        path += length;
    }
    return node;
}

static int hl_getattr(const char *path, struct stat *status, struct fuse_file_info *info) {
    (void)info;
    count(GETATTR);
    long node = node_of(path);
    if (node == 0) {
        return -ENOENT;
    }
    status_of(node, status);
    return 0;
}

static int hl_opendir(const char *path, struct fuse_file_info *info) {
    (void)path;
    count(OPENDIR);
    info->cache_readdir = info->keep_cache = best;
    return 0;
}

static int hl_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t position,
        struct fuse_file_info *info, enum fuse_readdir_flags flags) {
    (void)position, (void)info;
    count(READDIR);
    long node = node_of(path);
    count(FILL), fill(buffer, ".", NULL, 0, 0);
    count(FILL), fill(buffer, "..", NULL, 0, 0);
    for (int i = 0; i < children(node); i++) {
        count(FILL);
        struct stat status;
        if (flags & FUSE_READDIR_PLUS) {
            status_of(child(node, i), &status);
            fill(buffer, name_of(node, i), &status, 0, FUSE_FILL_DIR_PLUS);
        } else {
            fill(buffer, name_of(node, i), NULL, 0, 0);
        }
    }
    return 0;
}

static int hl_releasedir(const char *path, struct fuse_file_info *info) {
    (void)path, (void)info;
    count(RELEASEDIR);
    return 0;
}

static int hl_open(const char *path, struct fuse_file_info *info) {
    (void)info;
    count(OPEN);
    return node_of(path) == 0 ? -ENOENT : 0;
}

static int hl_read(const char *path, char *buffer, size_t size, off_t position, struct fuse_file_info *info) {
    (void)info;
    count(READ);
    size_t length = readable(node_of(path), size, position);
    memcpy(buffer, content + position, length);
    return length;
}

static int hl_write(const char *path, const char *bytes, size_t size, off_t position, struct fuse_file_info *info) {
    (void)info;
    count(WRITE);
    if (readable(node_of(path), size, position) < size) {
        return -ENOSPC;
    }
    memcpy(content + position, bytes, size);
    return size;
}

static int hl_release(const char *path, struct fuse_file_info *info) {
    (void)path, (void)info;
    count(RELEASE);
    return 0;
}

static const struct fuse_operations OPERATIONS = {
    .init = hl_init,
    .getattr = hl_getattr,
    .opendir = hl_opendir,
    .readdir = hl_readdir,
    .releasedir = hl_releasedir,
    .open = hl_open,
    .read = hl_read,
    .write = hl_write,
    .release = hl_release,
};

int main(int argc, char **argv) {
    tree_init(argc, argv);
    char *options[] = {argv[0], "-ofsname=bench"};
    struct fuse_args arguments = FUSE_ARGS_INIT(2, options);
    struct fuse *fuse = fuse_new(&arguments, &OPERATIONS, sizeof OPERATIONS, NULL);
    if (fuse == NULL || fuse_set_signal_handlers(fuse_get_session(fuse)) != 0 || fuse_mount(fuse, argv[1]) != 0) {
        return 1;
    }
    int result;
    if (argc > 5) {
        struct fuse_loop_config *config = fuse_loop_cfg_create();
        result = fuse_loop_mt(fuse, config);
        fuse_loop_cfg_destroy(config);
    } else {
        result = fuse_loop(fuse);
    }
    fuse_unmount(fuse);
    fuse_destroy(fuse);
    print_counts();
    return result < 0;
}
