package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OrderedTasksTest {
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final List<Integer> results = new ArrayList<>();

    @AfterEach
    void endThreads() {
        threads.close();
    }

    @Test
    void handsOverResultsInTheOrderOfTheTasks() throws IOException {
        CountDownLatch second = new CountDownLatch(1);
        try (OrderedTasks<Integer> tasks = new OrderedTasks<>(new Workers(threads, 2), results::add)) {
            tasks.add(() -> {
                second.await();
                return 1;
            });
            tasks.add(() -> {
                second.countDown();
                return 2;
            });
            tasks.finish();
        }
        assertThat(results).containsExactly(1, 2);
    }

    @Test
    void failsWithTheFirstTaskThatFailed() throws IOException {
        try (OrderedTasks<Integer> tasks = new OrderedTasks<>(new Workers(threads, 2), results::add)) {
            assertThatThrownBy(() -> {
                        tasks.add(() -> 1);
                        tasks.add(() -> {
                            throw new IOException("full");
                        });
                        tasks.add(() -> 3);
                        tasks.finish();
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessage("full");
        }
        assertThat(results).containsExactly(1);
    }

    @Test
    void waitsForWhatRunsAndBeginsNothingMore() throws Exception {
        CountDownLatch running = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        OrderedTasks<Integer> tasks = new OrderedTasks<>(new Workers(threads, 2), results::add);
        for (int i = 0; i < 2; i++) {
            tasks.add(() -> {
                running.countDown();
                goOn.await();
                return ended.incrementAndGet();
            });
        }
        tasks.add(ended::incrementAndGet);
        running.await();
        Thread closing = Thread.currentThread();
        closing.interrupt(); // closing keeps waiting, and says afterwards that it was interrupted
        Thread.ofPlatform().start(goOn::countDown);
        tasks.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ended).hasValueGreaterThanOrEqualTo(2);
        assertThat(results).isEmpty();
    }

    @Test
    void runsOnTheThreadThatAsksWhenThereIsNoOther() throws IOException {
        Thread here = Thread.currentThread();
        try (OrderedTasks<Thread> tasks =
                new OrderedTasks<>(Workers.NONE, thread -> assertThat(thread).isSameAs(here))) {
            tasks.add(Thread::currentThread);
        }
    }
}
