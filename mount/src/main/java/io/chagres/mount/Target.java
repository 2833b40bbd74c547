package io.chagres.mount;

import io.chagres.fuse.Attributes;

/** The target of a name, which the kernel knows by a number. */
interface Target {
    /** Returns the number the kernel knows it by; not 0. */
    long number();

    /** Says what it is; under the lock of the directory it was found in. */
    void fill(Attributes to);
}
