/* What the helpers share: lines of 161 bytes, time, failing. */
#ifndef CHAGRES_BENCH_COMMON_H
#define CHAGRES_BENCH_COMMON_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 161 };

static inline void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static inline int64_t now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void *sleep_for_ever(void *unused) {
    pause();
    return unused;
}

/* A process with two threads counts who uses a descriptor, with atomic instructions, as every JVM's does. */
static inline void as_two_threads(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0) {
        fail("pthread_create");
    }
}

static inline uint64_t mix(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Writes one line as a web service logs it: time in ns (19 digits), file, sequence, then words and numbers. */
static inline void make_line(char *line, int64_t time_ns, int file, long sequence, uint64_t *state) {
    static const char *const level[] = {"INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"};
    static const char *const method[] = {"GET", "PUT", "POST", "HEAD"};
    static const char *const path[] = {"/api/v1/orders", "/api/v1/users", "/static/app.js", "/healthz", "/search"};
    uint64_t a = mix(state), b = mix(state);
    int n = snprintf(line, LINE_BYTES + 1,
            "%019lld %06d %09ld %s [worker-%02u] %s %s/%u status=%u bytes=%u took=%u.%03ums request=%016llx agent=",
            (long long)time_ns, file, sequence, level[a % 6], (unsigned)(a >> 8) % 16, method[(a >> 16) % 4],
            path[(a >> 20) % 5], (unsigned)(a >> 24) % 100000, (a >> 44) % 50 ? 200 : 500,
            (unsigned)(b % 65536), (unsigned)(b >> 16) % 300, (unsigned)(b >> 32) % 1000, (unsigned long long)b);
    static const char filler[] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36";
    for (int i = 0; n < LINE_BYTES - 1; n++, i++) {
        line[n] = filler[i % (sizeof filler - 1)];
    }
    line[LINE_BYTES - 1] = '\n';
}
#endif
