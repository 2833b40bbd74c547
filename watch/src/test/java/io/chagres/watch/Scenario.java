package io.chagres.watch;

import java.io.IOException;

/** Cases that users of other watchers met, and who reports them: what {@code docs/WATCH.md} says of both. */
enum Scenario {
    NEW_TREE("what is in a directory that was just made", "watchman, notify, chokidar", Teller.CHAGRES, s -> {
        s.directory("tree/a/b/c");
        s.write("tree/a/b/c/f");
        s.settle();
        return s.isExact();
    }),
    MOVED_BEFORE_SEEN("what is in a new directory that is renamed at once", "notify", Teller.CHAGRES, s -> {
        s.directory("tree/a");
        s.move("tree/a", "tree/b");
        s.write("tree/b/f");
        s.settle();
        return s.isExact();
    }),
    MOVED_IN("what is in a directory that comes from elsewhere", "watchman, fsnotify", Teller.CHAGRES, s -> {
        s.directory("outside/d/e");
        s.write("outside/d/e/f");
        s.move("outside/d", "tree/d");
        s.settle();
        return s.isExact();
    }),
    RENAMED_DIRECTORY("the new paths below a renamed directory", "directory-watcher, fsnotify", Teller.CHAGRES, s -> {
        s.directory("tree/d");
        s.write("tree/d/f");
        s.begin();
        s.move("tree/d", "tree/e");
        s.settle();
        return s.isExact();
    }),
    CHANGE_BELOW_RENAMED("a change below a renamed directory, by its new path", "fsnotify", Teller.BOTH, s -> {
        s.directory("tree/d");
        s.write("tree/d/f");
        s.begin();
        s.move("tree/d", "tree/e");
        s.begin();
        s.write("tree/e/f");
        s.settle();
        return s.isTold("~ tree/e/f");
    }),
    RENAMED("that a file was renamed, and from what to what", "fsnotify, notify, chokidar", Teller.CHAGRES, s -> {
        s.write("tree/one");
        s.begin();
        s.move("tree/one", "tree/two");
        s.settle();
        return s.isTold("> tree/one tree/two");
    }),
    BETWEEN_ROOTS("that a file moved from one root to another", "watchman, directory-watcher", Teller.CHAGRES, s -> {
        s.write("tree/f");
        s.begin();
        s.move("tree/f", "other/f");
        s.settle();
        return s.isTold("> tree/f other/f") && s.isExact();
    }),
    MOVED_OUT("nothing of a directory that left the tree", "fsnotify, watchman", Teller.CHAGRES, s -> {
        s.directory("tree/d");
        s.begin();
        s.move("tree/d", "outside/d");
        s.begin();
        s.write("outside/d/f");
        s.settle();
        return !s.isTold("+ tree/d/f") && s.isExact();
    }),
    ROOT_REPLACED("what comes after a root was removed and made again", "fsnotify, chokidar", Teller.CHAGRES, s -> {
        s.delete("tree");
        s.directory("tree");
        s.begin();
        s.write("tree/f");
        s.settle();
        return s.isExact();
    }),
    DIRECTORY_REPLACED("what is in a directory that replaced another one", "notify, inode reuse", Teller.CHAGRES, s -> {
        s.directory("tree/d");
        s.begin();
        s.delete("tree/d");
        s.directory("tree/d");
        s.write("tree/d/f");
        s.settle();
        return s.isExact();
    }),
    FILE_REPLACED("that a file was removed and made again, with the same inode", "watchman", Teller.BOTH, s -> {
        s.write("tree/f");
        s.begin();
        s.delete("tree/f");
        s.write("tree/f");
        s.settle();
        return s.isTold("- tree/f") && s.isTold("+ tree/f");
    }),
    SAVED("that an editor replaced a file by a rename", "chokidar", Teller.BOTH, s -> {
        s.write("tree/f");
        s.begin();
        s.write("tree/f.new");
        s.move("tree/f.new", "tree/f");
        s.settle();
        return (s.isTold("> tree/f.new tree/f") || s.isTold("+ tree/f")) && s.isExact();
    }),
    WRITTEN("that a writer has closed a file", "chokidar", Teller.CHAGRES, s -> {
        s.write("tree/f");
        s.begin();
        s.write("tree/f");
        s.settle();
        return s.isTold("closed tree/f");
    }),
    ATTRIBUTES("that permissions changed", "fsnotify", Teller.BOTH, s -> {
        s.write("tree/f");
        s.begin();
        s.makeExecutable("tree/f");
        s.settle();
        return s.isTold("~ tree/f");
    }),
    OVERFLOW("all names after more events than anybody keeps", "watchman, fsnotify, notify", Teller.CHAGRES, s -> {
        s.manyEvents("tree");
        s.write("tree/f");
        s.settle();
        return s.isExact();
    }),
    LOOP("each name once where a link leads round", "directory-watcher, chokidar", Teller.BOTH, s -> {
        s.directory("tree/d");
        s.begin();
        s.link("tree/d/loop", "..");
        s.begin();
        s.write("tree/d/f");
        s.settle();
        return s.isExact();
    }),
    REMOVED("each name of a tree that was removed", "fsnotify", Teller.BOTH, s -> {
        s.directory("tree/d");
        s.begin();
        s.write("tree/d/f");
        s.begin();
        s.delete("tree/d");
        s.settle();
        return s.isTold("- tree/d/f") && s.isTold("- tree/d") && s.isExact();
    });

    final String text;
    final String origin;
    private final Teller teller;
    final Acts acts;

    /** The watchers that report it. */
    enum Teller {
        CHAGRES,
        BOTH
    }

    /** The steps; returns whether they were reported. */
    interface Acts {
        boolean on(ScenarioStage stage) throws IOException;
    }

    Scenario(String text, String origin, Teller teller, Acts acts) {
        this.text = text;
        this.origin = origin;
        this.teller = teller;
        this.acts = acts;
    }

    boolean isToldByWatchService() {
        return teller == Teller.BOTH;
    }
}
