package io.chagres.bench;

/** The JNI side of the C library. */
@SuppressWarnings("restricted")
final class Jni {
    static {
        System.load(Ffm.LIBRARY.toString());
    }

    private Jni() {}

    static native long labs(long value);

    /** Calls {@link #identity} so often, by its method id. */
    static native long callbacks(long times);

    /** Calls {@link FieldReader#read} so often. */
    static native long readersCalled(FieldReader reader, long times);

    /** Reads {@link FieldReader#value} so often, with GetLongField. */
    static native long fieldsRead(FieldReader reader, long times);

    static native long strlen(String string);

    /** Reads into the array under GetPrimitiveArrayCritical. */
    static native long preadCritical(int fd, byte[] array, long length, long position);

    static long identity(long value) {
        return value;
    }
}
