package io.chagres.dedupe;

/** Scatters numbers, so that those of like things become unlike: the finalizer of MurmurHash3. */
final class BitMixer {
    private BitMixer() {}

    static long of(long value) {
        long mixed = (value ^ value >>> 33) * 0xff51_afd7_ed55_8ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return mixed ^ mixed >>> 33;
    }

    static long of(long hash, long value) {
        return of(hash * 31 + of(value));
    }
}
