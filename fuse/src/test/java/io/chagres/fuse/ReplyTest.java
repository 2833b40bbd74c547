package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FakeKernel.Answer;
import io.chagres.fuse.wire.Opcode;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Every request is answered exactly once, whatever a file system does. */
class ReplyTest {
    private static final Bytes FLUSH = Bytes.none().u64(7).u64(0).u64(98);

    /** Does something else at each flush. */
    private static class Odd implements FuseFileSystem {
        @Override
        public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
            act(request, reply);
        }

        void act(Request request, EmptyReply reply) {}
    }

    private static FakeKernel kernel(FuseFileSystem fileSystem) {
        return FakeKernel.started(fileSystem, FuseOptions.DEFAULTS);
    }

    @Test
    void answersForAHandlerThatForgets() {
        try (FakeKernel kernel = kernel(new Odd())) {
            assertThat(kernel.call(Opcode.FLUSH, 5, FLUSH).error()).isEqualTo(Errno.EIO);
            assertThat(kernel.session.statistics().failures()).isEqualTo(1);
            assertThat(kernel.session.statistics().requests()).containsEntry("flush", 1L);
            assertThat(kernel.session.statistics().errors()).containsEntry("flush", 1L);
        }
    }

    @Test
    void answersForAHandlerThatThrows() {
        Odd odd = new Odd() {
            @Override
            void act(Request request, EmptyReply reply) {
                throw new StackOverflowError("deep");
            }
        };
        try (FakeKernel kernel = kernel(odd)) {
            assertThat(kernel.call(Opcode.FLUSH, 5, FLUSH).error()).isEqualTo(Errno.EIO);
            assertThat(kernel.call(Opcode.FLUSH, 5, FLUSH).error()).isEqualTo(Errno.EIO);
            assertThat(kernel.session.statistics().failures()).isEqualTo(2);
        }
    }

    @Test
    void refusesASecondAnswer() {
        Odd odd = new Odd() {
            @Override
            void act(Request request, EmptyReply reply) {
                reply.done();
                assertThat(reply.isAnswered()).isTrue();
                assertThatIllegalStateException().isThrownBy(() -> reply.error(Errno.EPERM));
                assertThatIllegalStateException().isThrownBy(reply::defer);
            }
        };
        try (FakeKernel kernel = kernel(odd)) {
            assertThat(kernel.call(Opcode.FLUSH, 5, FLUSH).error()).isZero();
            assertThat(kernel.device.answers).hasSize(1);
            assertThat(kernel.session.statistics().failures()).isZero();
        }
    }

    @Test
    void refusesErrorsThatAreNone() {
        Odd odd = new Odd() {
            @Override
            void act(Request request, EmptyReply reply) {
                assertThatIllegalArgumentException().isThrownBy(() -> reply.error(-Errno.EPERM));
                reply.error(Errno.EPERM);
            }
        };
        try (FakeKernel kernel = kernel(odd)) {
            assertThat(kernel.call(Opcode.FLUSH, 5, FLUSH).error()).isEqualTo(Errno.EPERM);
        }
    }

    @Test
    void answersLaterWhatWasDeferred() {
        Queue<EmptyReply> deferred = new ArrayDeque<>();
        Odd odd = new Odd() {
            @Override
            void act(Request request, EmptyReply reply) {
                reply.defer();
                deferred.add(reply);
            }
        };
        try (FakeKernel kernel = kernel(odd)) {
            assertThat(kernel.call(Opcode.FLUSH, 5, FLUSH)).isNull();
            long first = kernel.lastUnique();
            assertThat(kernel.call(Opcode.FLUSH, 6, FLUSH)).isNull();
            long second = kernel.lastUnique();
            EmptyReply one = deferred.remove();
            deferred.remove().error(Errno.EINTR);
            one.done();
            assertThat(kernel.device.answers).hasSize(2);
            assertThat(new Answer(kernel.device.answers.get(0)).unique()).isEqualTo(second);
            assertThat(new Answer(kernel.device.answers.get(0)).error()).isEqualTo(Errno.EINTR);
            assertThat(new Answer(kernel.device.answers.get(1)).unique()).isEqualTo(first);
            assertThatIllegalStateException().isThrownBy(one::done);
            assertThat(kernel.session.pool.all()).hasSize(2);
            kernel.call(Opcode.FLUSH, 5, FLUSH);
            assertThat(kernel.session.pool.all()).hasSize(2);
            deferred.remove().done();
        }
    }

    @Test
    void handsRequestsToAnExecutor() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        RecordingFileSystem fileSystem = new RecordingFileSystem();
        try (FakeKernel kernel = FakeKernel.started(fileSystem, FuseOptions.DEFAULTS.withHandlers(tasks::add))) {
            assertThat(kernel.call(Opcode.FLUSH, 5, FLUSH)).isNull();
            assertThat(kernel.call(Opcode.FORGET, 5, Bytes.none().u64(1))).isNull();
            assertThat(fileSystem.calls).containsExactly("forget 5 1");
            tasks.remove().run();
            assertThat(fileSystem.calls).containsExactly("forget 5 1", "flush 5 7 98");
            assertThat(new Answer(kernel.device.answers.getFirst()).error()).isZero();
        }
    }

    @Test
    void marksInterruptedRequests() {
        AtomicReference<Request> open = new AtomicReference<>();
        AtomicReference<EmptyReply> waiting = new AtomicReference<>();
        Odd odd = new Odd() {
            @Override
            void act(Request request, EmptyReply reply) {
                reply.defer();
                open.set(request);
                waiting.set(reply);
            }
        };
        try (FakeKernel kernel = kernel(odd)) {
            kernel.call(Opcode.FLUSH, 5, FLUSH);
            long unique = kernel.lastUnique();
            assertThat(open.get().interrupted()).isFalse();
            assertThat(kernel.call(Opcode.INTERRUPT, 0, Bytes.none().u64(unique))).isNull();
            assertThat(open.get().interrupted()).isTrue();
            Answer again = kernel.call(Opcode.INTERRUPT, 0, Bytes.none().u64(unique + 100));
            assertThat(again.error()).isEqualTo(Errno.EAGAIN);
            waiting.get().error(Errno.EINTR);
        }
    }

    @Test
    void countsAnswersThatTheKernelRefuses() {
        try (FakeKernel kernel = kernel(new RecordingFileSystem())) {
            kernel.device.refusal = -Errno.EINVAL;
            kernel.call(Opcode.FLUSH, 5, FLUSH);
            assertThat(new Answer(kernel.device.answers.getLast()).error()).isEqualTo(Errno.EIO);
            assertThat(kernel.session.statistics().refused()).isEqualTo(1);
            kernel.device.refusal = -Errno.ENOENT;
            kernel.call(Opcode.FLUSH, 5, FLUSH);
            assertThat(kernel.session.statistics().refused()).isEqualTo(1);
        }
    }

    @Test
    void answersAsTheKernelWouldWithoutAFileSystem() {
        try (FakeKernel kernel = kernel(new FuseFileSystem() {})) {
            assertThat(kernel.call(Opcode.LOOKUP, 1, Bytes.none().name("a")).error()).isEqualTo(Errno.ENOENT);
            assertThat(kernel.call(Opcode.OPEN, 1, Bytes.none().u64(0)).error()).isZero();
            assertThat(kernel.call(Opcode.FLUSH, 1, FLUSH).error()).isEqualTo(Errno.ENOSYS);
            assertThat(kernel.call(Opcode.STATFS, 1, Bytes.none()).body()).hasSize(80);
            assertThat(kernel.call(Opcode.RELEASE, 1, Bytes.none().zeros(24)).error())
                    .isZero();
        }
    }
}
