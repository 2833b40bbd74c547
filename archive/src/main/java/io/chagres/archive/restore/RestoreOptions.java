package io.chagres.archive.restore;

import io.chagres.archive.read.Address;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.PointInTime;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Says what to restore.
 *
 * @param address which files, or null for all
 * @param at the state to restore
 * @param standing whether the names that stood are restored
 * @param nameless which versions without a name are written, into a tree of their own
 * @param specialBits whether set-user-id, set-group-id and sticky bits are restored
 * @param salvage whether hosts with damaged commits are restored as far as something is proven; all versions
 *     without a name are written then
 * @param ignoreSpace whether a host is begun whose files take more space than is free; else it is a fault
 * @param filter which versions of the files the address names
 */
public record RestoreOptions(
        @Nullable Address address,
        PointInTime at,
        boolean standing,
        RestoreNameless nameless,
        boolean specialBits,
        boolean salvage,
        boolean ignoreSpace,
        Predicate<FileVersion> filter) {
    /** Everything as it was last. */
    public static final RestoreOptions ALL =
            new RestoreOptions(null, PointInTime.NOW, true, RestoreNameless.NONE, false, false, false, version -> true);

    /** Returns a copy that restores other trees. */
    public RestoreOptions with(boolean otherStanding, RestoreNameless otherNameless) {
        return new RestoreOptions(address, at, otherStanding, otherNameless, specialBits, salvage, ignoreSpace, filter);
    }
}
