package io.chagres.testkit;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Gives tests their random numbers: a new seed each run, printed, and the same again with {@code -Dseed=}. */
public final class Seeds {
    private Seeds() {}

    /** Returns the seed of this run and prints it. */
    public static long next(String test) {
        String given = System.getProperty("seed");
        long seed = given != null ? Long.parseLong(given) : System.nanoTime();
        System.out.println(test + ": seed " + seed + " (again with -Dseed=" + seed + ")");
        return seed;
    }

    /** Returns the generator of a seed. */
    public static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }
}
