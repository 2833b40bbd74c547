package io.chagres.foreign.call;

import io.chagres.testkit.Requires;

/** Says which backend a test needs. */
final class Backends {
    private Backends() {}

    static void needs(Backend backend) {
        Requires.allowed("executable pages", backend == Backend.LIBC || MachineCode.refusal() == 0);
    }
}
