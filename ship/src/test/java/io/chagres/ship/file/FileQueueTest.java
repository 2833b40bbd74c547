package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.testkit.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the queue of files against one of the JDK. */
class FileQueueTest {
    private static final int FILES = 300;
    private static final int STEPS = 20_000;

    @Test
    void keepsTheOrderInWhichFilesBeganToWait() {
        Random random = new Random(Seeds.next("keepsTheOrderInWhichFilesBeganToWait"));
        List<Tail> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            SourceVolume volume = new SourceVolume(1, 2, 3);
            files.add(new Tail(i, volume, i, 1, new PrefixChecksums(0), Origins.NONE, new Rules(1, Codec.ZSTD)));
        }
        FileQueue queue = new FileQueue(FileQueue.For.TURN);
        ArrayDeque<Tail> model = new ArrayDeque<>();
        for (int i = 0; i < STEPS; i++) {
            Tail file = files.get(random.nextInt(FILES));
            boolean grows = i / 1000 % 2 == 0;
            switch (random.nextInt(grows ? 4 : 8)) {
                case 0, 1 -> {
                    assertThat(queue.add(file)).isEqualTo(!model.contains(file));
                    if (!model.contains(file)) {
                        model.addLast(file);
                    }
                }
                case 2 -> {
                    queue.addFirst(file);
                    if (!model.contains(file)) {
                        model.addFirst(file);
                    }
                }
                case 3 -> {
                    queue.remove(file);
                    model.remove(file);
                }
                default -> assertThat(queue.poll()).isSameAs(model.poll());
            }
            assertThat(queue.contains(file)).isEqualTo(model.contains(file));
            assertThat(queue.peek()).isSameAs(model.peek());
            assertThat(queue.size()).isEqualTo(model.size());
        }
        assertThat(queue).containsExactlyElementsOf(model);
        List<Tail> byIndex = new ArrayList<>();
        for (int i = 0; i < queue.size(); i++) {
            byIndex.add(queue.at(i));
        }
        assertThat(byIndex).containsExactlyElementsOf(model);
    }
}
