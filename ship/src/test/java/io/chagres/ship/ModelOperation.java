package io.chagres.ship;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * One thing that happens in a run of the model: to a file, to the store, to the shipper or to the machine. What it
 * does follows from its numbers alone, so a list of them can be shortened, printed and put into a test.
 *
 * @param kind what happens
 * @param file the number of a name
 * @param other the number of a second name, or another number
 * @param at a place in a file in 1/1000 of its length, or another number
 * @param length bytes
 * @param content what the bytes look like
 */
record ModelOperation(Kind kind, int file, int other, int at, int length, Content content) {
    /** What can happen, and how often compared with the others. */
    enum Kind {
        APPEND(120),
        WRITE(45),
        APPEND_AND_WRITE(35),
        GROW(25),
        HOLE(4),
        TOUCH(12),
        TRUNCATE(25),
        REWRITE(30),
        PUNCH(20),
        COLLAPSE(10),
        RENAME(45),
        /** Two names change places; now and then those of the directories. */
        EXCHANGE(20),
        /** To a name that nobody follows. */
        MOVE_OUT(12),
        LINK(20),
        UNLINK(30),
        /** The last bytes come just before. */
        APPEND_UNLINK(20),
        /** Anybody who has it open continues. */
        UNLINK_OPEN(20),
        COPY(40),
        COPY_TRUNCATE(35),
        /** Bytes that only the copy has when its original is cut. */
        APPEND_COPY_TRUNCATE(25),
        RENAME_DIRECTORY(8),
        MOUNT(6),
        UNMOUNT(6),
        MAP_STORE(20),
        MAP(12),
        STORE(16),
        UNMAP(10),
        OPEN(20),
        WRITE_OPEN(45),
        CLOSE(20),
        TOUCH_BACK(8),
        /** A name for a file that was written without one; the writer keeps it open. */
        LINK_NAMELESS(14),
        /** A second name where nobody looks. */
        LINK_OUTSIDE(14),
        /** Through the name where nobody looks, at once closed. */
        WRITE_OUTSIDE(20),
        /** A store through a mapping of the file by that name. */
        STORE_OUTSIDE(10),
        /** By asynchronous IO, which raises no event. */
        WRITE_ASYNC(20),
        REFUSE(15),
        LOSE_ANSWER(12),
        LATE(8),
        HOLD(15),
        /** The store refuses everything until the next one, and what is read ahead of it is full. */
        OUTAGE(6),
        STEP(250),
        SETTLE(60),
        FLUSH(15),
        DRAIN(15),
        CRASH(25),
        MACHINE_CRASH(8),
        CLOCK(10),
        COMPACT(12),
        /** A second shipper begins to write as the same host, and is refused. */
        SECOND(8),
        TAKE_OVER(8);

        final int weight;

        Kind(int weight) {
            this.weight = weight;
        }

        boolean copies() {
            return this == COPY || this == COPY_TRUNCATE;
        }
    }

    /** What bytes look like. */
    enum Content {
        LINES,
        ZEROS,
        NOISE,
        LINES_AND_ZEROS,
        SAME,
        HALF_LINE
    }

    /** The operations that some runs do more often than others. */
    private enum Plot {
        ANYTHING(List.of(Kind.values())),
        /** Files lose their last names, among too many for all to stay open. */
        LEAVING(List.of(
                Kind.APPEND,
                Kind.UNLINK,
                Kind.APPEND_UNLINK,
                Kind.OPEN,
                Kind.WRITE_OPEN,
                Kind.UNLINK_OPEN,
                Kind.CLOSE,
                Kind.RENAME,
                Kind.STEP,
                Kind.SETTLE)),
        /** Files have writers that raise no event. */
        UNSEEN(List.of(
                Kind.APPEND,
                Kind.LINK_NAMELESS,
                Kind.OPEN,
                Kind.WRITE_OPEN,
                Kind.CLOSE,
                Kind.MAP,
                Kind.STORE,
                Kind.UNMAP,
                Kind.LINK_OUTSIDE,
                Kind.WRITE_OUTSIDE,
                Kind.STORE_OUTSIDE,
                Kind.WRITE_ASYNC,
                Kind.FLUSH,
                Kind.STEP,
                Kind.SETTLE)),
        /** Files come and go while the store refuses for longer than they live. */
        OUTLIVED(List.of(
                Kind.APPEND,
                Kind.APPEND_UNLINK,
                Kind.UNLINK,
                Kind.RENAME,
                Kind.OPEN,
                Kind.WRITE_OPEN,
                Kind.UNLINK_OPEN,
                Kind.CLOSE,
                Kind.COPY_TRUNCATE,
                Kind.STEP,
                Kind.SETTLE)),
        /** Names change, also while nobody looks. */
        RENAMING(List.of(
                Kind.APPEND,
                Kind.LINK,
                Kind.RENAME,
                Kind.EXCHANGE,
                Kind.MOVE_OUT,
                Kind.RENAME_DIRECTORY,
                Kind.UNLINK,
                Kind.CRASH,
                Kind.FLUSH,
                Kind.STEP,
                Kind.SETTLE)),
        /** Each file is copied over its copy again and again. */
        ROTATING(List.of(
                Kind.APPEND,
                Kind.GROW,
                Kind.WRITE,
                Kind.REWRITE,
                Kind.COPY,
                Kind.COPY_TRUNCATE,
                Kind.STEP,
                Kind.SETTLE));

        final List<Kind> kinds;
        final int weights;

        Plot(List<Kind> kinds) {
            this.kinds = kinds;
            weights = kinds.stream().mapToInt(kind -> kind.weight).sum();
        }

        Kind kind(RandomGenerator random) {
            int left = random.nextInt(weights);
            for (Kind kind : kinds) {
                left -= kind.weight;
                if (left < 0) {
                    return kind;
                }
            }
            throw new AssertionError(left);
        }
    }

    static final int NAMES = 18;
    private static final int MAX_OPERATIONS = 30;
    private static final int CROWD = 6;

    /**
     * Draws the operations of a run. Some runs only do what leaves every byte where it is, in some all that is written
     * ends in zeros, and some follow a plot half of the time.
     */
    static List<ModelOperation> draw(RandomGenerator random) {
        boolean appendsOnly = random.nextInt(8) == 0;
        boolean zeros = random.nextInt(6) == 0;
        Plot plot = Plot.values()[random.nextInt(Plot.values().length)];
        int names = plot == Plot.LEAVING ? CROWD : random.nextInt(4) == 0 ? NAMES : 2 + random.nextInt(5);
        int count = 3 + random.nextInt(MAX_OPERATIONS);
        List<ModelOperation> drawn = new ArrayList<>();
        if (plot == Plot.LEAVING) {
            for (int file = 0; file < CROWD; file++) {
                drawn.add(new ModelOperation(Kind.APPEND, file, file, 0, length(random), Content.NOISE));
            }
            drawn.add(new ModelOperation(Kind.SETTLE, 0, 0, 0, 1, Content.NOISE));
        }
        if (plot == Plot.OUTLIVED) {
            drawn.add(new ModelOperation(Kind.OUTAGE, 0, 0, 0, 1, Content.NOISE));
        }
        for (int i = 0; i < count; i++) {
            Kind kind = (random.nextBoolean() ? plot : Plot.ANYTHING).kind(random);
            int file = random.nextInt(names);
            int other = random.nextInt(names);
            ModelOperation operation = new ModelOperation(
                    kind,
                    file,
                    plot == Plot.ROTATING && kind.copies() ? (file + 1) % names : other,
                    random.nextInt(1001),
                    length(random),
                    zeros ? Content.LINES_AND_ZEROS : Content.values()[random.nextInt(Content.values().length)]);
            if (!appendsOnly || !operation.changesBytes()) {
                drawn.add(operation);
            }
        }
        return drawn;
    }

    /** Says whether this may happen without an event. */
    boolean isUnseen() {
        return switch (kind) {
            case MAP, STORE, WRITE_OPEN, LINK_NAMELESS, WRITE_OUTSIDE, STORE_OUTSIDE, WRITE_ASYNC -> true;
            default -> false;
        };
    }

    /** Says whether this changes bytes that are in a file, or takes them away. */
    boolean changesBytes() {
        return switch (kind) {
            case WRITE,
                    APPEND_AND_WRITE,
                    TRUNCATE,
                    REWRITE,
                    PUNCH,
                    COLLAPSE,
                    COPY,
                    COPY_TRUNCATE,
                    APPEND_COPY_TRUNCATE,
                    MAP_STORE,
                    STORE,
                    STORE_OUTSIDE,
                    TOUCH_BACK,
                    MACHINE_CRASH -> true;
            case WRITE_OPEN, WRITE_OUTSIDE, WRITE_ASYNC -> writesInside();
            default -> false;
        };
    }

    /** Says whether a write through an open descriptor goes into the file, not behind its end. */
    boolean writesInside() {
        return other % 2 == 1;
    }

    private static int length(RandomGenerator random) {
        return switch (random.nextInt(40)) {
            case 0 -> 260_000 + random.nextInt(80_000);
            case 1, 2, 3, 4 -> 4096 * (1 + random.nextInt(5));
            case 5, 6, 7, 8, 9, 10, 11, 12 -> 4000 + random.nextInt(26_000);
            case 13, 14, 15, 16, 17, 18, 19, 20, 21 -> 100 + random.nextInt(4_000);
            default -> 1 + random.nextInt(100);
        };
    }

    /** Returns what {@link #parse} reads. */
    @Override
    public String toString() {
        return kind + " " + file + " " + other + " " + at + " " + length + " " + content;
    }

    /** Makes an operation from a line of text. */
    static ModelOperation parse(String line) {
        String[] words = line.split(" ");
        return new ModelOperation(
                Kind.valueOf(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]),
                Content.valueOf(words[5]));
    }
}
