package io.chagres.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;

/**
 * Refuses what is not there, with 403 in place of 404.
 *
 * @param rule counts what was refused
 * @param method of the request
 */
record ForbiddenIfMissing(ProxyRule rule, String method) implements Upstream.Passing {
    @Override
    public boolean pass(HttpHead head, InputStream in, OutputStream out) throws IOException {
        if (head.status() != HttpURLConnection.HTTP_NOT_FOUND) {
            out.write(head.bytes());
            return true;
        }
        if (!method.equals("HEAD")) {
            RequestBody.copy(head, in, OutputStream.nullOutputStream(), Long.MAX_VALUE);
        }
        out.write(ProxiedConnection.refusal(method, HttpURLConnection.HTTP_FORBIDDEN, "AccessDenied", true));
        rule.countApplied();
        return true;
    }
}
