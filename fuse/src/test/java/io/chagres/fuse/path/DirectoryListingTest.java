package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import org.junit.jupiter.api.Test;

class DirectoryListingTest {
    private final DirectoryListing listing = new DirectoryListing(0);

    @Test
    void hasEveryNameOfUtf8() {
        listing.add("a");
        listing.add("\u00fc");
        listing.add("\ud83d\ude00");
        assertThat(listing.size()).isEqualTo(DirectoryListing.DOTS + 3);
        assertThat(listing.failure()).isZero();
    }

    @Test
    void saysThatItLacksAName() {
        listing.add("half a pair \ud83d");
        listing.add("a");
        assertThat(listing.size()).isEqualTo(DirectoryListing.DOTS + 1);
        assertThat(listing.failure()).isEqualTo(Errno.EILSEQ);
    }
}
