/* touch MIB: takes memory, writes to each page and gives it back, so that a virtual machine has it from its host. */
#include "common.h"
#include <sys/mman.h>

int main(int argc, char **argv) {
    size_t bytes = argc == 2 ? strtoull(argv[1], NULL, 10) << 20 : 0;
    if (bytes == 0) {
        fprintf(stderr, "usage: touch MIB\n");
        return 2;
    }
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        fail("mmap");
    }
    for (size_t at = 0; at < bytes; at += 4096) {
        memory[at] = 1;
    }
    return 0;
}
