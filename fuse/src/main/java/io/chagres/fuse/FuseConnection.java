package io.chagres.fuse;

import java.util.Set;

/**
 * The terms on which kernel and server agreed at the start ({@code struct fuse_init_in} and {@code fuse_init_out}).
 * Immutable.
 *
 * @param minor the minor version of protocol 7 that both speak, 31 to 45
 * @param transport how requests come, {@link FuseTransport#CLASSIC} or {@link FuseTransport#IO_URING}
 * @param features the requested features that the kernel has
 * @param maxWrite the most bytes of a read or write
 * @param maxReadahead the most bytes the kernel reads ahead
 * @param kernelFlags all the kernel offered, {@code FUSE_} bits of linux/fuse.h with flags2 in the upper half
 */
public record FuseConnection(
        int minor,
        FuseTransport transport,
        Set<FuseFeature> features,
        int maxWrite,
        int maxReadahead,
        long kernelFlags) {
    @Override
    public String toString() {
        return "FUSE 7." + minor + ", " + transport + ", " + maxWrite + " bytes a request, " + features;
    }
}
