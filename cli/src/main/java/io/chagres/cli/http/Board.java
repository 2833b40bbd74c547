package io.chagres.cli.http;

import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The content of a {@link StatusServer}. Safe for any thread. */
public interface Board {
    /** Returns what is wrong with who fills it, or null while that works. */
    @Nullable
    String ailment();

    /** Returns what it is not ready for, or null when it is ready. */
    @Nullable
    String obstacle();

    /** Returns the registry of metrics, or null while there are none. */
    @Nullable
    Metrics metrics();

    /** Returns everything as one JSON object. */
    String json();

    /** Returns the page that shows that. */
    String page() throws IOException;

    /** Returns a page that lies beside a class. */
    static String page(Class<?> beside, String name) throws IOException {
        try (InputStream page = beside.getResourceAsStream(name)) {
            if (page == null) {
                throw new IOException("the page is not in this program");
            }
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
