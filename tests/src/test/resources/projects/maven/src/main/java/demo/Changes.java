package demo;

import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.DirectoryWatcher;
import io.chagres.watch.WatchListener;
import io.chagres.watch.WatchedDirectory;
import java.io.IOException;
import java.time.InstantSource;

/** Follows a directory until something in it gets another name. */
public final class Changes implements WatchListener {
    private boolean done;

    public static void main(String[] args) throws IOException {
        new Changes().follow(args[0]);
    }

    void follow(String directory) throws IOException {
        try (DirectoryWatcher watcher = DirectoryWatcher.builder(Pathname.of(directory))
                .clock(InstantSource.system())
                .open()) {
            while (!done) {
                watcher.poll(-1, this);
            }
        }
    }

    @Override
    public void appeared(Dentry d) {
        System.out.println(d.path() + " is there");
    }

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
        System.out.println(fromName + " is now " + d.name());
        done = true;
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        System.err.println(path + ": " + what);
    }
}
