package io.chagres.mount;

import io.chagres.foreign.Errno;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Answers reads from blocks: at once from those that are there, later from those that must be loaded. */
final class BlockReads {
    /** An answer that comes just behind its time is given all the same. */
    private static final long GRACE_MS = 1_000;

    private final MountContext context;
    private final BlockCache cache;
    private final BlockLoads loads;
    private final ReadAhead readAhead = new ReadAhead();

    BlockReads(MountContext context, BlockCache cache, BlockLoads loads) {
        this.context = context;
        this.cache = cache;
        this.loads = loads;
    }

    /** Answers a read, perhaps after this returns. */
    void read(PendingRead read, long fileEnd) {
        ReadAhead.Key file = new ReadAhead.Key(read.host(), read.version());
        ReadAhead.Guess guess = readAhead.read(file, read.start(), (int) (read.end() - read.start()));
        if (!answered(read)) {
            read.reply().defer();
            load(read);
        }
        long nowMs = context.clockMs().getAsLong();
        for (int i = 0; i < guess.count(); i++) {
            BlockCache.Key key = read.key(guess.firstBlock() + i);
            if (key.start() < fileEnd && !cache.holds(key, 1, nowMs)) {
                loads.tryAhead(key, read.deadlineMs());
            }
        }
    }

    /** Answers from blocks that are there; false if one is not. */
    private boolean answered(PendingRead read) {
        long nowMs = context.clockMs().getAsLong();
        List<BlockCache.Block> blocks = new ArrayList<>(2);
        try {
            for (long index = read.firstBlock(); index <= read.lastBlock(); index++) {
                BlockCache.Block block = cache.pin(read.key(index), read.to(index), nowMs);
                if (block == null) {
                    return false;
                }
                blocks.add(block);
            }
            answer(read, blocks);
            return true;
        } finally {
            blocks.forEach(cache::unpin);
        }
    }

    private static void answer(PendingRead read, List<BlockCache.Block> blocks) {
        long first = read.firstBlock();
        for (int i = 0; i < blocks.size(); i++) {
            if (blocks.get(i).isDamaged(read.from(first + i), read.to(first + i))) {
                read.reply().error(Errno.EIO);
                return;
            }
        }
        if (blocks.size() == 1) {
            int from = read.from(first);
            read.reply().data(blocks.getFirst().memory(), from, read.to(first) - from);
            return;
        }
        long at = read.reply().offset();
        for (int i = 0; i < blocks.size(); i++) {
            int from = read.from(first + i);
            int length = read.to(first + i) - from;
            MemorySegment.copy(blocks.get(i).memory(), from, read.reply().buffer(), at, length);
            at += length;
        }
        read.reply().filled(read.end() - read.start());
    }

    /** Loads the first block that is missing and tries again. */
    private void load(PendingRead read) {
        long nowMs = context.clockMs().getAsLong();
        long missing = read.firstBlock();
        while (missing < read.lastBlock() && cache.holds(read.key(missing), read.to(missing), nowMs)) {
            missing++;
        }
        CompletableFuture<Void> loading = loads.load(read.key(missing), read.deadlineMs());
        var _ = loading.whenComplete((nothing, failure) -> loaded(read, failure != null));
    }

    private void loaded(PendingRead read, boolean failed) {
        boolean done = false;
        try {
            if (failed || context.clockMs().getAsLong() - read.deadlineMs() > GRACE_MS) {
                read.reply().error(Errno.EIO);
            } else if (!answered(read)) {
                load(read);
            }
            done = true;
        } finally {
            if (!done && !read.reply().isAnswered()) {
                read.reply().error(Errno.EIO);
            }
        }
    }
}
