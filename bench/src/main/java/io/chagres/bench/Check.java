package io.chagres.bench;

import java.lang.reflect.InvocationTargetException;
import java.util.Objects;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Runs the benchmark method that is about to be measured and looks whether it does its work. */
final class Check {
    private Check() {}

    /** Calls it twice: what it leaves behind must not change the second result. */
    static void returns(Object benchmark, BenchmarkParams params, Object expected) {
        for (int i = 0; i < 2; i++) {
            Object result = call(benchmark, params);
            if (!Objects.equals(expected, result)) {
                throw new IllegalStateException(params.getBenchmark() + " returns " + result + ", not " + expected);
            }
        }
    }

    static Object call(Object benchmark, BenchmarkParams params) {
        try {
            return benchmark.getClass().getMethod(method(params)).invoke(benchmark);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(params.getBenchmark() + " does not run", e);
        }
    }

    static String method(BenchmarkParams params) {
        return params.getBenchmark().substring(params.getBenchmark().lastIndexOf('.') + 1);
    }
}
