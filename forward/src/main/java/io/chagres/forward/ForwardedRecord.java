package io.chagres.forward;

import io.chagres.archive.FileKey;
import io.chagres.archive.HostRegistry;
import io.chagres.linux.Pathname;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A line, a part of one, a chunk, or an event. Immutable; the value is not copied.
 *
 * @param host whose file it is
 * @param path the name by which the file was first forwarded: with the host the key, which keeps the order of a file
 * @param version the version of the file
 * @param file the identity of the file
 * @param offset of the first byte in the version
 * @param line where the line begins that this is a part of; {@link #WHOLE} for a whole line, or for no line
 * @param last whether the part is the last of its line
 * @param event what happened to the file, empty for bytes
 * @param name the name that the file has now, for events; null when it has none
 * @param committedMs when the shipper committed the last bytes of the version, milliseconds since 1970
 * @param value the bytes, a line without its newline
 */
public record ForwardedRecord(
        HostRegistry.Owner host,
        Pathname path,
        long version,
        FileKey file,
        long offset,
        long line,
        boolean last,
        String event,
        @Nullable Pathname name,
        long committedMs,
        byte[] value) {
    /** The line of what is no part. */
    public static final long WHOLE = -1;

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ForwardedRecord that
                && host.equals(that.host)
                && path.equals(that.path)
                && version == that.version
                && offset == that.offset
                && line == that.line
                && event.equals(that.event)
                && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(host, version, offset, event);
    }
}
