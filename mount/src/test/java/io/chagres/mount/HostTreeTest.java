package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host adds up to for the kernel: sizes, holes and names, at their borders. */
class HostTreeTest {
    @TempDir
    private Path directory;

    private LoadedHost host;

    @AfterEach
    void close() {
        if (host != null) {
            host.close();
        }
    }

    private LoadedHost open(MountOptions options) throws IOException {
        host = new LoadedHost(directory, options);
        return host;
    }

    private FileTarget file(TreeFolder root, String name) {
        Target target = root.find(Pathname.of(name));
        assertThat(target).isInstanceOf(FileTarget.class);
        return (FileTarget) target;
    }

    private static Attributes attributes(Target target) {
        Attributes attributes = new Attributes();
        target.fill(attributes);
        return attributes;
    }

    private void zeros(long version, long start, long length) {
        host.writer.extend(version, length, new LogRecord.ZeroRun(version, start, length, 0));
    }

    @Test
    void anEmptyFileHasNoByteAndNoHole() throws IOException {
        FileTarget empty = file(open(MountOptions.DEFAULTS).load(), "first");
        assertThat(attributes(empty).size()).isZero();
        assertThat(attributes(empty).blocks()).isZero();
        for (boolean hole : new boolean[] {true, false}) {
            assertThat(empty.seek(0, hole)).isEqualTo(-1);
            assertThat(empty.seek(1, hole)).isEqualTo(-1);
        }
        assertThat(host.tree.span(empty.version().id())).isEqualTo(new HostTree.VersionRange(0, 0));
        assertThat(host.tree.usage()).isEqualTo(new HostTree.Usage(0, 1));
    }

    /** lseek(2) says of each byte what a table of all bytes says, also of a file that lacks its beginning. */
    @Test
    void holesAreWhereTheyAre() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("HostTreeTest"));
        open(MountOptions.DEFAULTS);
        List<BitSet> data = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            int start = i % 3 == 0 ? random.nextInt(1, 5000) : 0;
            long version = host.writer.file("/f" + i, 0, start);
            BitSet bytes = new BitSet();
            int at = start;
            for (int piece = random.nextInt(6); piece > 0; piece--) {
                int length = random.nextInt(1, 40);
                if (random.nextBoolean()) {
                    host.writer.append(version, "x".repeat(length));
                    bytes.set(at - start, at - start + length);
                } else {
                    zeros(version, at, length);
                }
                at += length;
            }
            data.add(bytes);
            lengths.add(at - start);
        }
        host.writer.commit(2);
        TreeFolder root = host.load();
        for (int i = 0; i < data.size(); i++) {
            FileTarget target = file(root, "f" + i);
            int length = lengths.get(i);
            assertThat(attributes(target).size()).isEqualTo(length);
            assertThat(attributes(target).blocks()).isEqualTo((data.get(i).cardinality() + 511) / 512);
            for (int at = 0; at <= length + 1; at++) {
                long nextData = data.get(i).nextSetBit(at);
                long nextHole = Math.min(length, data.get(i).nextClearBit(at));
                assertThat(target.seek(at, false))
                        .as("data of f%d at %d", i, at)
                        .isEqualTo(nextData);
                assertThat(target.seek(at, true))
                        .as("hole of f%d at %d", i, at)
                        .isEqualTo(at >= length ? -1 : nextHole);
            }
        }
    }

    /** What is damaged is as much as a checksum covers, and never reaches into what is good. */
    @Test
    void damageIsAsLargeAsAPiece() throws IOException {
        open(MountOptions.DEFAULTS);
        long version = host.writer.file("/x", 0, 1000);
        host.writer.append(version, "x".repeat(10));
        zeros(version, 1010, 3L * LogRecord.PIECE_BYTES);
        host.writer.append(version, "y".repeat(5)).commit(2);
        host.load();
        long end = 1010 + 3L * LogRecord.PIECE_BYTES;
        assertThat(host.tree.pieceAt(version, 0)).isEqualTo(new HostTree.VersionRange(0, 1000));
        assertThat(host.tree.pieceAt(version, 999)).isEqualTo(new HostTree.VersionRange(999, 1000));
        assertThat(host.tree.pieceAt(version, 1000)).isEqualTo(new HostTree.VersionRange(1000, 1010));
        assertThat(host.tree.pieceAt(version, 1009)).isEqualTo(new HostTree.VersionRange(1000, 1010));
        assertThat(host.tree.pieceAt(version, 1010))
                .isEqualTo(new HostTree.VersionRange(1010, 1010 + LogRecord.PIECE_BYTES));
        assertThat(host.tree.pieceAt(version, end - 1))
                .isEqualTo(new HostTree.VersionRange(end - LogRecord.PIECE_BYTES, end));
        assertThat(host.tree.pieceAt(version, end)).isEqualTo(new HostTree.VersionRange(end, end + 5));
        assertThat(host.tree.pieceAt(version, end + 5).start()).isEqualTo(end + 5);
        assertThat(host.tree.pieceAt(77, 3).start()).isEqualTo(3);
    }

    /** Names are bytes: what is no text is found by its bytes, and listed with them. */
    @Test
    void namesAreBytes() throws IOException {
        open(MountOptions.DEFAULTS);
        byte[][] names = {
            {'/', (byte) 0xff},
            {'/', (byte) 0xc3},
            {'/', (byte) 0xc3, (byte) 0xa9},
            {'/', (byte) 0xe9},
            {'/', '\n'}
        };
        for (byte[] name : names) {
            add(Pathname.ofBytes(name), 100 + name.length * 300L + (name[1] & 0xff));
        }
        host.writer.commit(2);
        TreeFolder root = host.load();
        List<Pathname> listed = root.list().stream().map(Folder.Item::name).toList();
        for (byte[] name : names) {
            Pathname bare = Pathname.ofBytes(name, 1, name.length - 1);
            assertThat(listed).contains(bare);
            assertThat(root.find(bare)).isInstanceOf(FileTarget.class);
        }
        assertThat(listed).hasSize(names.length + 1);
        assertThat(root.find(Pathname.of("?"))).isNull();
    }

    /** A name that no directory of the kernel can have is not listed; the longest one that can, is. */
    @Test
    void listsNamesThatFit() throws IOException {
        open(MountOptions.DEFAULTS);
        host.writer.file("/" + "a".repeat(TreeFolder.MAX_NAME_BYTES));
        host.writer.file("/" + "b".repeat(TreeFolder.MAX_NAME_BYTES + 1));
        host.writer.commit(2);
        assertThat(host.load().list().stream().map(item -> item.name().length()))
                .containsExactlyInAnyOrder(TreeFolder.MAX_NAME_BYTES, "first".length());
    }

    /** The number of a version that is too large would be the number of another host's file. */
    @Test
    void aVersionWithoutANumberIsNotShown() throws IOException {
        open(MountOptions.DEFAULTS);
        add(Pathname.of("/last"), FileNumbers.MAX_VERSION);
        add(Pathname.of("/beyond"), FileNumbers.MAX_VERSION + 1);
        host.writer.commit(2);
        TreeFolder root = host.load();
        assertThat(file(root, "last").number()).isPositive();
        assertThat(root.find(Pathname.of("beyond"))).isNull();
        assertThat(root.list().stream().filter(item -> item.target() != null).map(item -> item.name()
                        .toString()))
                .containsExactlyInAnyOrder("first", "last");
    }

    private void add(Pathname path, long version) {
        InodeAttributes attributes = new InodeAttributes(0640, 0, 0, 0);
        FileKey key = new FileKey(1, 2, version, 1);
        host.writer.write(new LogRecord.VersionOpened(version, key, 0, 0, path, attributes));
        host.writer.write(new LogRecord.NameAdded(path, LogRecord.Kind.FILE, version, Pathname.of(""), attributes));
    }

    /** Who lists keeps the list: what moved or went since leads nowhere, and what came is not in it. */
    @Test
    void aListSurvivesWhatMoves() throws IOException {
        open(MountOptions.DEFAULTS);
        host.writer.directory("/d", 0755);
        host.writer.file("/d/stays");
        host.writer.file("/d/moves");
        host.writer.file("/d/goes");
        host.writer.commit(2);
        TreeFolder root = host.load();
        TreeFolder d = (TreeFolder) root.find(Pathname.of("d"));
        assertThat(d).isNotNull();
        List<? extends Folder.Item> items = d.list();
        host.writer.rename("/d/moves", "/moved").remove("/d/goes");
        host.writer.file("/d/comes");
        host.writer.commit(3);
        host.applyNext();
        assertThat(items.stream().filter(item -> item.target() != null).map(item -> item.name()
                        .toString()))
                .containsExactly("stays");
        assertThat(d.list().stream().map(item -> item.name().toString())).containsExactlyInAnyOrder("stays", "comes");
        assertThat(file(root, "moved").version().id()).isPositive();
        host.writer.rename("/d", "/e").commit(4);
        host.applyNext();
        assertThat(root.find(Pathname.of("d"))).isNull();
        assertThat(root.find(Pathname.of("e"))).isSameAs(d); // who is in it stays in it
        assertThat(d.list().stream().filter(item -> item.target() != null)).hasSize(2);
    }

    @Test
    void aWindowHidesFilesAndNoDirectories() throws IOException {
        open(MountOptions.DEFAULTS.withWindow(version -> version.length() > 3));
        host.writer.directory("/d", 0755);
        host.writer.append(host.writer.file("/short"), "abc");
        host.writer.append(host.writer.file("/long"), "abcd").commit(2);
        TreeFolder root = host.load();
        assertThat(root.list().stream().map(item -> item.name().toString())).containsExactlyInAnyOrder("d", "long");
        assertThat(root.find(Pathname.of("short"))).isNull();
        assertThat(host.tree.usage()).isEqualTo(new HostTree.Usage(4, 1));
    }

    @Test
    void oneFileWithTwoNamesIsCountedOnce() throws IOException {
        open(MountOptions.DEFAULTS);
        long version = host.writer.file("/a");
        host.writer.append(version, "abcde").name("/b", version).commit(2);
        TreeFolder root = host.load();
        FileVersion one = file(root, "a").version();
        assertThat(file(root, "b").number()).isEqualTo(file(root, "a").number());
        assertThat(attributes(new FileTarget(host.tree, one)).nlink()).isEqualTo(2);
        assertThat(host.tree.usage()).isEqualTo(new HostTree.Usage(5, 2));
    }
}
