package io.chagres.fuse;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How to mount and serve. Immutable: begin with {@link #DEFAULTS}, and every {@code with} method returns a copy.
 *
 * @param name what is mounted, as shown in the first column of mount(8); without comma
 * @param subtype the type shown is {@code fuse.} and this; marks mounts as our own; without comma
 * @param allowOther whether other users may use it; needs user_allow_other in fuse.conf unless the superuser mounts
 * @param defaultPermissions whether the kernel checks permissions by mode and owner
 * @param readOnly whether the kernel refuses writing
 * @param threads how many read requests, 1 or more; with one, methods of the file system are called one at a time
 * @param maxWrite the most bytes of a read or write, a multiple of 4096 up to 1 MiB
 * @param maxConcurrent how many requests may be deferred or handed to handlers at once, 1 or more
 * @param handlers runs the methods of the file system, such as one of virtual threads if they wait; null to run them
 *     where requests are read
 * @param features what to agree on with the kernel
 */
public record FuseOptions(
        String name,
        String subtype,
        boolean allowOther,
        boolean defaultPermissions,
        boolean readOnly,
        int threads,
        int maxWrite,
        int maxConcurrent,
        @Nullable Executor handlers,
        Set<FuseFeature> features) {
    /** Two threads, methods called where requests are read, permissions checked by the kernel. */
    public static final FuseOptions DEFAULTS = new FuseOptions(
            "chagres", "chagres", false, true, false, 2, 1 << 20, 64, null, FuseFeature.DEFAULTS);

    private static final int PAGE = 4096;

    /** Checks the values. */
    public FuseOptions {
        if (name.isEmpty() || subtype.isEmpty() || (name + subtype).indexOf(',') >= 0) {
            throw new IllegalArgumentException("name and subtype are not empty and have no comma: " + name + " " + subtype);
        }
        if (threads < 1 || maxConcurrent < 1) {
            throw new IllegalArgumentException("at least one of each: threads " + threads + ", maxConcurrent " + maxConcurrent);
        }
        if (maxWrite < PAGE || maxWrite > 256 * PAGE || maxWrite % PAGE != 0) {
            throw new IllegalArgumentException("maxWrite is a multiple of 4096 from 4096 to 1048576, not " + maxWrite);
        }
        features = features.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(features));
    }

    /**
     * Replaces one option.
     *
     * @param value what is mounted, as shown in the first column of mount(8); without comma
     * @return a copy
     */
    public FuseOptions withName(String value) {
        return new FuseOptions(value, subtype, allowOther, defaultPermissions, readOnly, threads, maxWrite, maxConcurrent, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value the type shown is {@code fuse.} and this; marks mounts as our own; without comma
     * @return a copy
     */
    public FuseOptions withSubtype(String value) {
        return new FuseOptions(name, value, allowOther, defaultPermissions, readOnly, threads, maxWrite, maxConcurrent, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value see the class
     * @return a copy
     */
    public FuseOptions withAllowOther(boolean value) {
        return new FuseOptions(name, subtype, value, defaultPermissions, readOnly, threads, maxWrite, maxConcurrent, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value whether the kernel checks permissions by mode and owner
     * @return a copy
     */
    public FuseOptions withDefaultPermissions(boolean value) {
        return new FuseOptions(name, subtype, allowOther, value, readOnly, threads, maxWrite, maxConcurrent, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value whether the kernel refuses writing
     * @return a copy
     */
    public FuseOptions withReadOnly(boolean value) {
        return new FuseOptions(name, subtype, allowOther, defaultPermissions, value, threads, maxWrite, maxConcurrent, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value see the class
     * @return a copy
     */
    public FuseOptions withThreads(int value) {
        return new FuseOptions(name, subtype, allowOther, defaultPermissions, readOnly, value, maxWrite, maxConcurrent, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value the most bytes of a read or write, a multiple of 4096 up to 1 MiB
     * @return a copy
     */
    public FuseOptions withMaxWrite(int value) {
        return new FuseOptions(name, subtype, allowOther, defaultPermissions, readOnly, threads, value, maxConcurrent, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value how many requests may be deferred or handed to handlers at once, 1 or more
     * @return a copy
     */
    public FuseOptions withMaxConcurrent(int value) {
        return new FuseOptions(name, subtype, allowOther, defaultPermissions, readOnly, threads, maxWrite, value, handlers, features);
    }

    /**
     * Replaces one option.
     *
     * @param value see the class
     * @return a copy
     */
    public FuseOptions withHandlers(Executor value) {
        return new FuseOptions(name, subtype, allowOther, defaultPermissions, readOnly, threads, maxWrite, maxConcurrent, value, features);
    }

    /**
     * Adds features.
     *
     * @param added what else to agree on
     * @return a copy
     */
    public FuseOptions with(FuseFeature... added) {
        Set<FuseFeature> changed = mutableFeatures();
        Collections.addAll(changed, added);
        return copy(changed);
    }

    /**
     * Takes features away.
     *
     * @param removed what not to agree on
     * @return a copy
     */
    public FuseOptions without(FuseFeature... removed) {
        Set<FuseFeature> changed = mutableFeatures();
        for (FuseFeature feature : removed) {
            changed.remove(feature);
        }
        return copy(changed);
    }

    private Set<FuseFeature> mutableFeatures() {
        Set<FuseFeature> changed = EnumSet.noneOf(FuseFeature.class);
        changed.addAll(features);
        return changed;
    }

    private FuseOptions copy(Set<FuseFeature> changed) {
        return new FuseOptions(name, subtype, allowOther, defaultPermissions, readOnly, threads, maxWrite, maxConcurrent, handlers, changed);
    }
}
