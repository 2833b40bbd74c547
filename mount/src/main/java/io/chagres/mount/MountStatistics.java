package io.chagres.mount;

/**
 * Counts since the mount. Immutable.
 *
 * @param hosts how many hosts are shown
 * @param loadedHosts how many of them somebody looked into
 * @param refreshRequests requests to the store that asked for what is new
 * @param refreshes how often that was done
 * @param loadedBlocks blocks of up to 256 KiB that were read from the store
 */
public record MountStatistics(int hosts, int loadedHosts, long refreshRequests, long refreshes, long loadedBlocks) {}
