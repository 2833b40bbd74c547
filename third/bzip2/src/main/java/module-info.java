/** Holds bzip2 of Commons Compress, and what it needs. */
module org.apache.commons.compress {
    requires org.apache.commons.io;

    exports org.apache.commons.compress;
    exports org.apache.commons.compress.compressors;
    exports org.apache.commons.compress.compressors.bzip2;
}
