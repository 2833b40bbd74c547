package io.chagres.linux;

import java.io.FileDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.nio.channels.FileChannel;

/**
 * Finds the descriptors of files that the JDK opened.
 *
 * <p>The JDK keeps the number to itself and has no public way to it, so it must be started with
 * {@code --add-opens java.base/java.io=io.chagres.linux}, for a {@link FileChannel} that no stream made also with
 * {@code --add-opens java.base/sun.nio.ch=io.chagres.linux}. (For a program on the class path it is
 * {@code ALL-UNNAMED}; in the manifest of a jar started with {@code java -jar}, the line
 * {@code Add-Opens: java.base/java.io java.base/sun.nio.ch}.)
 *
 * <p>The number belongs to the JDK's object: it is not closed here, and after that object is closed it may be another
 * file's. Keep the object reachable while the number is used. Safe for any thread.
 */
public final class Descriptors {
    private static final String IO = "java.io";
    private static final String CHANNELS = "sun.nio.ch";

    private Descriptors() {}

    /**
     * Returns the number of a descriptor, such as {@code RandomAccessFile.getFD()} or {@code FileInputStream.getFD()}
     * give.
     *
     * @param descriptor an open one
     * @return the number, 0 or more; -1 if it is closed
     * @throws IllegalStateException if the JVM was not started with the option named above
     */
    public static int of(FileDescriptor descriptor) {
        return (int) field(FileDescriptor.class, "fd", descriptor, IO);
    }

    /**
     * Returns the number of a channel's descriptor.
     *
     * @param channel a channel of the JDK's own file system
     * @return the number, 0 or more; -1 if it is closed
     * @throws IllegalStateException if the JVM was not started with the options named above
     * @throws IllegalArgumentException if another provider made the channel
     */
    public static int of(FileChannel channel) {
        if (!channel.getClass().getName().equals(CHANNELS + ".FileChannelImpl")) {
            throw new IllegalArgumentException(channel.getClass() + " is no channel of the system's files");
        }
        return of((FileDescriptor) field(channel.getClass(), "fd", channel, CHANNELS));
    }

    private static Object field(Class<?> type, String name, Object object, String packageName) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (InaccessibleObjectException e) {
            Module module = Descriptors.class.getModule();
            throw new IllegalStateException(
                    "the JDK hides descriptors; start java with --add-opens java.base/" + packageName + "="
                            + (module.isNamed() ? module.getName() : "ALL-UNNAMED"),
                    e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK keeps descriptors elsewhere; open the file with Fd instead", e);
        }
    }
}
