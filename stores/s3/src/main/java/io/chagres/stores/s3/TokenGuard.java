package io.chagres.stores.s3;

import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Keeps session tokens off lines that everybody can read: a key only signs, but a token is sent itself. Looks at the
 * request as it leaves, since an endpoint may come from the environment too. Stateless.
 */
final class TokenGuard implements ExecutionInterceptor {
    private static final String TOKEN = "X-Amz-Security-Token";

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        SdkHttpRequest request = context.httpRequest();
        if ("http".equals(request.protocol())
                && request.firstMatchingHeader(TOKEN).isPresent()
                && !isLoopback(request.host())) {
            throw SdkClientException.create("a session token is not sent over http://; use an https:// endpoint, or"
                    + " keys without a session");
        }
    }

    /** Says whether a host is this machine by its name, which nobody else can answer. */
    static boolean isLoopback(String host) {
        return host.equals("localhost")
                || host.endsWith(".localhost")
                || host.matches("127(\\.\\d{1,3}){3}")
                || host.equals("::1")
                || host.equals("[::1]");
    }
}
