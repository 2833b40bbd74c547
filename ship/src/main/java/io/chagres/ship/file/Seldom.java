package io.chagres.ship.file;

import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.Dentry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of a {@link Tail} that few files need. Confined to the shipper's thread. */
final class Seldom {
    @Nullable
    Tail predecessor;

    @Nullable
    Tail truncated;

    @Nullable
    List<Dentry> moreNames;

    @Nullable
    Unlinked unlinked;

    @Nullable
    Pathname lastPath;

    byte @Nullable [] handle;
    int handleType;

    @Nullable
    Origins origins;

    /** The checksums of a file that rests and has several pieces, or no beginning. */
    @Nullable
    PrefixChecksums prefix;
}
