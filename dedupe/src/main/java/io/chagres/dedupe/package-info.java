/**
 * Finds files of equal content and lets them share their blocks, where the kernel finds them equal too.
 *
 * <p>{@link io.chagres.dedupe.Dedupe} goes through its phases step by step on the caller's threads: it lists
 * directories, groups files by size, and workers settle group after group. {@link io.chagres.dedupe.DedupeSession} goes
 * through all of them on the threads of an executor, and follows changes. Nothing is ever shared without the kernel's
 * own comparison, which locks both files: no content changes, whatever others write meanwhile.
 *
 * <p>{@snippet :
 * try (Dedupe dedupe = new Dedupe(DedupeOptions.DEFAULT, Clock.systemUTC(), listener)) {
 *     dedupe.add(Pathname.of("/srv/images"));
 *     try (DedupeWorker worker = dedupe.scanWorker()) {
 *         while (worker.step()) {}
 *     }
 *     dedupe.plan();
 *     try (DedupeWorker worker = dedupe.worker()) {
 *         while (worker.step()) {}
 *     }
 *     System.out.println(dedupe.totals().get(Count.FREED_BYTES));
 * }
 * }
 */
@NullMarked
package io.chagres.dedupe;

import org.jspecify.annotations.NullMarked;
