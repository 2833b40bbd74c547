package io.chagres.archive.restore;

import io.chagres.archive.read.GoneTree;

/**
 * Counts what was made, and what is known to be missing.
 *
 * @param files regular files, without further names of the same file
 * @param directories directories other than those of hosts
 * @param links symbolic links and further names of files
 * @param bytes bytes written, without holes
 * @param faults how often the listener heard of a fault
 * @param lostCommits commits that repairs named as lost: files and bytes that nothing else shows are not here; -1
 *     where nobody may know
 * @param expiredFiles files that begin at their first kept byte, because retention expired those before
 * @param expiredBytes those bytes
 * @param gone the files that are gone and were not asked for
 * @param earlier the earlier states of files that were not asked for
 */
public record RestoreSummary(
        long files,
        long directories,
        long links,
        long bytes,
        long faults,
        long lostCommits,
        long expiredFiles,
        long expiredBytes,
        GoneTree.Count gone,
        GoneTree.Count earlier) {}
