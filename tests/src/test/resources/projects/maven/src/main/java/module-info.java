/** Takes the libraries as modules. */
module demo {
    requires io.chagres.foreign;
    requires io.chagres.fuse;
    requires io.chagres.watch;
}
