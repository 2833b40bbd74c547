/*
 * observe dir DIR OUT: one line "ns name" for each entry that appears in DIR (link, rename or creation).
 * observe file FILE OUT: one line "append_ns seen_ns" for each line of the appender that appears in FILE.
 * Times are CLOCK_REALTIME. Ends on SIGTERM; what it has seen is in OUT.
 */
#include "common.h"
#include <limits.h>
#include <signal.h>
#include <sys/inotify.h>

static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

static void entries(const char *events, ssize_t length, FILE *out) {
    int64_t now = now_ns(CLOCK_REALTIME);
    for (ssize_t at = 0; at < length;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        if (event->len > 0) {
            fprintf(out, "%lld %s\n", (long long)now, event->name);
        }
        at += sizeof *event + event->len;
    }
}

static void lines(int fd, FILE *out) {
    static char buffer[1 << 20];
    static size_t kept;
    for (;;) {
        ssize_t n = read(fd, buffer + kept, sizeof buffer - kept);
        if (n <= 0) {
            return;
        }
        int64_t now = now_ns(CLOCK_REALTIME);
        size_t end = kept + (size_t)n, from = 0;
        for (char *nl; (nl = memchr(buffer + from, '\n', end - from)) != NULL; from = (size_t)(nl - buffer) + 1) {
            long long appended = atoll(buffer + from);
            if (appended > 0) {
                fprintf(out, "%lld %lld\n", appended, (long long)now);
            }
        }
        kept = end - from;
        memmove(buffer, buffer + from, kept);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: observe dir|file PATH OUT\n");
        return 2;
    }
    int is_dir = strcmp(argv[1], "dir") == 0;
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    FILE *out = fopen(argv[3], "w");
    int notify = inotify_init1(IN_CLOEXEC);
    if (out == NULL || notify < 0
            || inotify_add_watch(notify, argv[2], is_dir ? IN_CREATE | IN_MOVED_TO : IN_MODIFY) < 0) {
        fail(argv[2]);
    }
    int fd = is_dir ? -1 : open(argv[2], O_RDONLY);
    static char events[64 << 10] __attribute__((aligned(8)));
    while (!stopped) {
        ssize_t n = read(notify, events, sizeof events);
        if (n <= 0) {
            continue;
        }
        if (is_dir) {
            entries(events, n, out);
        } else {
            lines(fd, out);
        }
    }
    return fclose(out);
}
