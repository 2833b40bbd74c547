package io.chagres.ship.file;

import io.chagres.archive.InodeAttributes;

/**
 * What the archive has of a link.
 *
 * @param attributes owner and time
 * @param targetHash the hash of its target, which another link with its inode and its time has not
 */
record RecordedLink(InodeAttributes attributes, int targetHash) {}
