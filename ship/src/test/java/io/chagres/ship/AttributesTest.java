package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the archive says of directories and links, which have no bytes that anybody would miss. */
@Tag("long")
class AttributesTest {
    @TempDir
    Path temp;

    private ShippedTree shipped;

    @BeforeEach
    void open() throws IOException {
        shipped = new ShippedTree(temp);
        Files.createDirectories(shipped.file("directory/below"));
        Files.createSymbolicLink(shipped.file("link"), Path.of("here"));
        Files.createSymbolicLink(shipped.file("other"), Path.of("here"));
        ShippedTree.append(shipped.file("file"), new byte[] {'\n'});
        shipped.settle();
    }

    @AfterEach
    void close() {
        shipped.close();
    }

    /** Changes a directory, the time of one link, and what the other leads to. */
    private void change() throws IOException {
        Files.setPosixFilePermissions(shipped.file("directory/below"), PosixFilePermissions.fromString("rwx--x---"));
        setTime(shipped.file("link"), 77);
        Files.delete(shipped.file("other"));
        Files.createSymbolicLink(shipped.file("other"), Path.of("there")); // some file systems use the inode again
    }

    private static void setTime(Path link, long second) throws IOException {
        FileTime time = FileTime.from(second, TimeUnit.SECONDS);
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(time, null, null);
    }

    /** Fills the queue, so that what happens next raises no event. */
    private void fillQueue() throws IOException {
        long most = Long.parseLong(Machine.read("/proc/sys/fs/inotify/max_queued_events"));
        Path second = Files.createFile(shipped.file("second"));
        try (OutputStream one = Files.newOutputStream(shipped.file("file"), StandardOpenOption.APPEND);
                OutputStream two = Files.newOutputStream(second)) {
            for (long i = 0; i <= most / 2; i++) { // equal events in a row are one
                one.write('\n');
                two.write('\n');
            }
        }
    }

    private NameTree.Entry archived(String name) throws IOException {
        NameTree.Entry entry =
                shipped.load().names().find(Pathname.of(shipped.file(name).toString()));
        assertThat(entry).as(name).isNotNull();
        return entry;
    }

    private void assertChanged() throws IOException {
        assertThat(archived("directory/below").attributes().mode()).isEqualTo(0710);
        assertThat(archived("link").attributes().mtimeNs()).isEqualTo(TimeUnit.SECONDS.toNanos(77));
        assertThat(archived("other").kind()).isEqualTo(LogRecord.Kind.SYMLINK);
        assertThat(archived("other").target()).isEqualTo(Pathname.of("there"));
        assertThat(archived("other").attributes().mtimeNs())
                .isEqualTo(Files.getLastModifiedTime(shipped.file("other"), LinkOption.NOFOLLOW_LINKS)
                        .to(TimeUnit.NANOSECONDS));
    }

    @Test
    void areShippedWhenAnEventTells() throws IOException {
        change();
        shipped.settle();
        assertChanged();
    }

    private void isTimed(String name) throws IOException {
        assertThat(archived(name).attributes().mtimeNs())
                .isEqualTo(Files.getLastModifiedTime(shipped.file(name)).to(TimeUnit.NANOSECONDS));
    }

    @Test
    void timeOfADirectoryIsShippedThoughItsNameIsGoneAgain() throws IOException {
        Files.delete(Files.createFile(shipped.file("directory/below/short")));
        shipped.settle();
        isTimed("directory/below");
    }

    @Test
    void timeOfADirectoryIsShippedThoughTheNameIsLeftOut() throws IOException {
        shipped.drain();
        shipped.sources = List.of(new Source(
                List.of(shipped.tree.toString()), List.of(), List.of("*.tmp"), shipped.maxLagMs, Codec.ZSTD));
        shipped.settle();
        Path leftOut = Files.createFile(shipped.file("directory/below/x.tmp"));
        shipped.settle();
        isTimed("directory/below");
        Files.move(leftOut, shipped.file("directory/y.tmp"));
        shipped.settle();
        isTimed("directory/below");
        isTimed("directory");
        Files.delete(shipped.file("directory/y.tmp"));
        shipped.settle();
        isTimed("directory");
    }

    @Test
    void areShippedAfterAnOverflow() throws IOException {
        fillQueue();
        change();
        shipped.settle();
        assertChanged();
        assertThat(shipped.problems).anyMatch(each -> each.contains("fs.inotify.max_queued_events"));
    }

    @Test
    void areShippedByADrainThatComesBeforeAnyStep() throws IOException {
        change();
        shipped.drain();
        assertChanged();
    }

    @Test
    void areShippedWhenTheyChangedWhileNoShipperRan() throws IOException {
        shipped.drain();
        change();
        shipped.drain();
        assertChanged();
    }

    @Test
    void areShippedOnce() throws IOException {
        change();
        shipped.settle();
        long before = shipped.shipper().status().commits();
        shipped.flush();
        shipped.flush();
        assertThat(shipped.shipper().status().commits()).isEqualTo(before);
        shipped.drain().settle();
        assertThat(shipped.shipper().status().commits()).isLessThanOrEqualTo(1);
    }
}
