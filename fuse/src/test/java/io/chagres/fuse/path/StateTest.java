package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The state that is handed over beside a mount, as bytes. */
class StateTest {
    private static byte[] some() throws IOException {
        PathTable table = new PathTable();
        long directory = table.lookedUp(1, "directory");
        table.lookedUp(directory, "file", new NioIdentity(1, 2, 3));
        table.lookedUp(1, "replaced");
        table.renamed(directory, "file", 1, "replaced");
        table.lookedUp(directory, "unlinked");
        table.unlinked(directory, "unlinked");
        OpenFiles open = new OpenFiles();
        open.opened(2, 3, 01002);
        Listings listings = new Listings();
        DirectoryListing listed = new DirectoryListing(0);
        listed.add("a");
        listed.add("\u00e4");
        listings.of(listings.open(), 0, () -> listed);
        StateWriter to = new StateWriter(7);
        table.write(to);
        open.write(to);
        listings.write(to);
        to.attributes(new Attributes().file(0644, 5).ino(6).nlink(0).generation(-1));
        return to.written();
    }

    private static byte[] readAndWritten(byte[] state) throws IOException {
        StateReader from = new StateReader(state, 7);
        PathTable table = new PathTable();
        table.read(from);
        OpenFiles open = new OpenFiles();
        open.read(from);
        Listings listings = new Listings();
        listings.read(from);
        Attributes attributes = from.attributes();
        from.end();
        StateWriter to = new StateWriter(7);
        table.write(to);
        open.write(to);
        listings.write(to);
        to.attributes(attributes);
        return to.written();
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        assertThat(readAndWritten(some())).isEqualTo(some());
    }

    @Test
    void isRefusedWhereItIsCutOffOrLonger() throws IOException {
        byte[] state = some();
        for (int length = 0; length <= state.length + 1; length++) {
            byte[] other = Arrays.copyOf(state, length);
            if (length != state.length) {
                assertThatExceptionOfType(ErrnoException.class)
                        .isThrownBy(() -> readAndWritten(other))
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EPROTO));
            }
        }
    }
}
