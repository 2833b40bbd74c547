package io.chagres.foreign.call;

import org.junit.jupiter.api.Assumptions;

/** Says which backend a test needs. Nobody can change what the kernel allows, so its absence never fails. */
final class Backends {
    private Backends() {}

    static void needs(Backend backend) {
        Assumptions.assumeTrue(
                backend == Backend.LIBC || MachineCode.refusal() == 0,
                "skipped: needs a kernel that allows an executable page");
    }
}
