package io.chagres.mount;

import io.chagres.fuse.Attributes;

/** What a name leads to, told to the kernel by a number. */
interface Target {
    /** Returns the number the kernel knows it by; not 0. */
    long number();

    /** Says what it is; under the lock of the directory it was found in. */
    void fill(Attributes to);
}
