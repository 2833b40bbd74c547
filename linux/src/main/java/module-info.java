/** Wraps the kernel's objects, one class each: descriptors, directories, inotify, epoll, file handles. */
module io.chagres.linux {
    requires static org.jspecify;
    requires transitive io.chagres.foreign;

    exports io.chagres.linux;
}
