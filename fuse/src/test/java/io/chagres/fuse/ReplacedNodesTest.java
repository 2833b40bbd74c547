package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FakeKernel.Answer;
import io.chagres.fuse.path.NioFileSystem;
import io.chagres.fuse.wire.Opcode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program looks a name up, another one replaces it, and the first uses the node that it found. */
class ReplacedNodesTest {
    private static final int O_RDWR = 2;
    private static final int FATTR_SIZE = 1 << 3;

    @TempDir
    private Path behind;

    private FakeKernel kernel;
    private long node;

    @BeforeEach
    void lookUp() throws IOException {
        Files.writeString(behind.resolve("kept"), "first");
        kernel = FakeKernel.started(new NioFileSystem(behind, Clock.systemUTC(), 0), FuseOptions.DEFAULTS);
        node = lookUp("kept");
    }

    @AfterEach
    void close() {
        kernel.close();
    }

    private long lookUp(String name) {
        return answered(kernel.call(Opcode.LOOKUP, 1, Bytes.none().name(name))).u64(0);
    }

    private static Answer answered(Answer answer) {
        assertThat(answer.error()).isZero();
        return answer;
    }

    private void replace(String content) throws IOException {
        Files.writeString(behind.resolve("next"), content);
        lookUp("next");
        answered(kernel.call(Opcode.RENAME, 1, Bytes.none().u64(1).name("next").name("kept")));
    }

    private Answer open(int flags) {
        return kernel.call(Opcode.OPEN, node, Bytes.none().u32(flags).u32(0));
    }

    private Answer cut(int size) {
        Bytes change = Bytes.none().u32(FATTR_SIZE).u32(0).u64(0).u64(size).zeros(64);
        return kernel.call(Opcode.SETATTR, node, change);
    }

    private String read() {
        Bytes read = Bytes.none().u64(0).u64(0).u32(4096).zeros(20);
        return new String(answered(kernel.call(Opcode.READ, node, read)).body(), StandardCharsets.UTF_8);
    }

    @Test
    void opensWhatNowHasTheName() throws IOException {
        replace("second");
        answered(open(0));
        assertThat(read()).isEqualTo("second");
    }

    /** No local file system says that a name is stale that is there all the time. */
    @Test
    void opensWhatOthersHaveOpenByThisNode() throws IOException {
        answered(open(0));
        replace("second");
        answered(open(0));
        assertThat(read()).isEqualTo("first");
        replace("third");
        answered(open(0));
        assertThat(read()).isEqualTo("first");
    }

    @Test
    void opensToWriteWhatOthersWriteByThisNode() throws IOException {
        answered(open(O_RDWR));
        replace("second");
        answered(open(O_RDWR));
        answered(cut(2));
        assertThat(read()).isEqualTo("fi");
        assertThat(behind.resolve("kept")).hasContent("second");
    }

    @Test
    void cutsWhatNowHasTheName() throws IOException {
        replace("second");
        answered(cut(3));
        assertThat(behind.resolve("kept")).hasContent("sec");
    }

    /** What others read by this node is not to change into another file: the kernel looks again. */
    @Test
    void writesNoOtherFileThanOthersRead() throws IOException {
        answered(open(0));
        replace("second");
        assertThat(open(O_RDWR).error()).isEqualTo(Errno.ESTALE);
        assertThat(cut(3).error()).isEqualTo(Errno.ESTALE);
        assertThat(read()).isEqualTo("first");
        assertThat(behind.resolve("kept")).hasContent("second");
    }
}
