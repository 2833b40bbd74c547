/* ll MOUNT TIMEOUT_S plain|best DATA_MIB: the tree served by libfuse's low level, on one thread, until it is unmounted. */
#define FUSE_USE_VERSION 312
#include "tree.h"
#include <fuse3/fuse_lowlevel.h>

static void ll_init(void *data, struct fuse_conn_info *connection) {
    (void)data;
    connection->want &= ~(FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO | (best ? FUSE_CAP_AUTO_INVAL_DATA : 0));
}

static void ll_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
    count(LOOKUP);
    struct fuse_entry_param entry = {.ino = look_up(parent, name, strlen(name))};
    if (entry.ino == 0) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    entry.attr_timeout = entry.entry_timeout = timeout_s;
    status_of(entry.ino, &entry.attr);
    fuse_reply_entry(request, &entry);
}

static void ll_getattr(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
    (void)info;
    count(GETATTR);
    struct stat status;
    status_of(node, &status);
    fuse_reply_attr(request, &status, timeout_s);
}

/* ENOSYS: the kernel opens by itself from then on, and keeps names and pages. */
static void ll_opendir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
    (void)node;
    count(OPENDIR);
    if (best) {
        fuse_reply_err(request, ENOSYS);
    } else {
        fuse_reply_open(request, info);
    }
}

static void ll_open(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
    (void)node;
    count(OPEN);
    if (best) {
        fuse_reply_err(request, ENOSYS);
    } else {
        fuse_reply_open(request, info);
    }
}

static void ll_readdir(fuse_req_t request, fuse_ino_t node, size_t size, off_t position, struct fuse_file_info *info) {
    (void)info;
    count(READDIR);
    char buffer[65536];
    size_t limit = size < sizeof buffer ? size : sizeof buffer, length = 0;
    for (long i = position; i < children(node) + 2; i++) {
        struct stat status = {.st_ino = i < 2 ? node : (fuse_ino_t)child(node, i - 2)};
        status.st_mode = is_directory(status.st_ino) ? S_IFDIR : S_IFREG;
        const char *name = i == 0 ? "." : i == 1 ? ".." : name_of(node, i - 2);
        count(FILL);
        size_t entry = fuse_add_direntry(request, buffer + length, limit - length, name, &status, i + 1);
        if (entry > limit - length) {
            break;
        }
        length += entry;
    }
    fuse_reply_buf(request, buffer, length);
}

static void ll_releasedir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
    (void)node, (void)info;
    count(RELEASEDIR);
    fuse_reply_err(request, 0);
}

static void ll_read(fuse_req_t request, fuse_ino_t node, size_t size, off_t position, struct fuse_file_info *info) {
    (void)info;
    count(READ);
    fuse_reply_buf(request, content + position, readable(node, size, position));
}

static void ll_write(fuse_req_t request, fuse_ino_t node, const char *bytes, size_t size, off_t position,
        struct fuse_file_info *info) {
    (void)info;
    count(WRITE);
    if (readable(node, size, position) < size) {
        fuse_reply_err(request, ENOSPC);
        return;
    }
    memcpy(content + position, bytes, size);
    fuse_reply_write(request, size);
}

static void ll_release(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
    (void)node, (void)info;
    count(RELEASE);
    fuse_reply_err(request, 0);
}

static const struct fuse_lowlevel_ops OPERATIONS = {
    .init = ll_init,
    .lookup = ll_lookup,
    .getattr = ll_getattr,
    .opendir = ll_opendir,
    .readdir = ll_readdir,
    .releasedir = ll_releasedir,
    .open = ll_open,
    .read = ll_read,
    .write = ll_write,
    .release = ll_release,
};

int main(int argc, char **argv) {
    tree_init(argc, argv);
    char *options[] = {argv[0], "-ofsname=bench"};
    struct fuse_args arguments = FUSE_ARGS_INIT(2, options);
    struct fuse_session *session = fuse_session_new(&arguments, &OPERATIONS, sizeof OPERATIONS, NULL);
    if (session == NULL || fuse_set_signal_handlers(session) != 0 || fuse_session_mount(session, argv[1]) != 0) {
        return 1;
    }
    int result = fuse_session_loop(session);
    fuse_session_unmount(session);
    fuse_session_destroy(session);
    print_counts();
    return result < 0;
}
