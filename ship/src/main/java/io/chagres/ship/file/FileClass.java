package io.chagres.ship.file;

/**
 * What a file has in common with most others: one object for all of them. Immutable.
 *
 * @param volume the file system it is on
 * @param rules how its bytes are shipped
 * @param mode its permissions, as the log has them
 * @param uid its owner, as the log has it
 * @param gid its group, as the log has it
 */
record FileClass(SourceVolume volume, Rules rules, int mode, int uid, int gid) {}
