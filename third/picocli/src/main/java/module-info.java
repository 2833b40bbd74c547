/** Holds picocli under the name its own module has. */
module info.picocli {
    requires java.sql;

    exports picocli;
}
