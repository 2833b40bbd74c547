package io.chagres.watch;

import io.chagres.linux.Pathname;

/** Counts and allocates nothing. */
final class CountingListener implements WatchListener {
    volatile long modified;
    int overflows;

    @Override
    public void appeared(Dentry d) {}

    @Override
    public void modified(Dentry d) {
        modified = modified + 1; // one thread writes
    }

    @Override
    public void closed(Dentry d) {}

    @Override
    public void attributes(Dentry d) {}

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {}

    @Override
    public void vanished(Dentry d, boolean movedOut) {}

    @Override
    public void overflow() {
        overflows++;
    }

    @Override
    public void problem(Pathname path, String what, int errno) {}
}
