package io.chagres.stores.s3;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;

/**
 * Knows whether the server promises that a list shows all that was put before. AWS does since December 2020 ("Amazon S3
 * data consistency model" in its user guide); for other servers only their user can say so. The host that is asked
 * counts, since the environment and the profile can name another than the address. Safe for any thread.
 */
final class ListPromise implements ExecutionInterceptor {
    private static final List<String> AWS = List.of(".amazonaws.com", ".amazonaws.com.cn");

    private final @Nullable Boolean said;
    private volatile boolean anyAnswer;
    private volatile boolean anyOther;

    /**
     * Waits for the first answer.
     *
     * @param said what the address says; null when it says nothing
     */
    ListPromise(@Nullable Boolean said) {
        this.said = said;
    }

    @Override
    public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes attributes) {
        heard(context.httpRequest().host());
    }

    /** Hears which host answered. */
    void heard(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        anyOther |= AWS.stream().noneMatch(name::endsWith);
        anyAnswer = true;
    }

    /** Says whether lists show everything; false before the first answer unless the address says so. */
    boolean isGiven() {
        return said != null ? said : anyAnswer && !anyOther;
    }
}
