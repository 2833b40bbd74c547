// Says what a page costs that is touched in a loop, and after a second of rest: us a page each. A wake-up of a process
// at rest is made of such pages, and virtual machines differ by a thousand times.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 2048, PAGE = 4096, ROUNDS = 5 };

static double us(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static double touched(volatile char *memory) {
    double begin = us();
    for (int i = 0; i < PAGES; i++) {
        memory[(size_t) i * PAGE]++;
    }
    return (us() - begin) / PAGES;
}

int main(void) {
    volatile char *memory =
        mmap(NULL, (size_t) PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    madvise((void *) memory, (size_t) PAGES * PAGE, MADV_NOHUGEPAGE);
    touched(memory);
    double hot = touched(memory);
    double rested = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sleep(1);
        rested += touched(memory) / ROUNDS;
    }
    printf("%.3f %.3f\n", hot, rested);
    return 0;
}
