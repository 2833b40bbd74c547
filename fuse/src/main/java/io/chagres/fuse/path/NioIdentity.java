package io.chagres.fuse.path;

/**
 * The same for all names of a file, and for no other file before or after it.
 *
 * @param device st_dev of its file system
 * @param number st_ino
 * @param generation made of the time of birth
 */
record NioIdentity(long device, long number, int generation) {}
