/** Calls native functions from Java with nothing allocated per call; holds every restricted call of Chagres. */
@SuppressWarnings("module") // the modules named in qualified exports are not visible when this one is compiled
module io.chagres.foreign {
    requires static org.jspecify;

    exports io.chagres.foreign;
    exports io.chagres.foreign.call to
            io.chagres.linux;
}
