/** Holds tomlj under the name that its jar asks for. */
module org.tomlj {
    exports org.tomlj;
}
