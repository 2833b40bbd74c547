package io.chagres.ship.file;

import io.chagres.archive.InodeAttributes;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import org.jspecify.annotations.Nullable;

/**
 * Says where the shipping of one version continues after a restart. Everything in it comes from the log.
 *
 * @param versionId the version
 * @param prefix the checksums of its archived bytes; ends at its position
 * @param origins which older versions hold parts of its bytes
 * @param attributes as they were last recorded
 * @param lastPath the name it had last, or null
 * @param isGrowing whether the log does not say that the file was read to its end for good
 * @param isNamed whether it had a name when that was written
 */
public record ResumePoint(
        long versionId,
        PrefixChecksums prefix,
        Origins origins,
        InodeAttributes attributes,
        @Nullable Pathname lastPath,
        boolean isGrowing,
        boolean isNamed) {}
