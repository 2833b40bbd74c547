/** Takes the library as a module. */
module demo {
    requires kotlin.stdlib;
    requires io.chagres.fuse;
}
