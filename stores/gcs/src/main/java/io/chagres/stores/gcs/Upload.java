package io.chagres.stores.gcs;

import com.google.api.client.http.AbstractInputStreamContent;
import io.chagres.archive.store.SegmentContent;
import java.io.InputStream;

/** An object's bytes as Google's client sends them; it asks for another stream to send them again. */
final class Upload extends AbstractInputStreamContent {
    private final SegmentContent content;

    Upload(SegmentContent content) {
        super("application/octet-stream");
        this.content = content;
    }

    @Override
    public InputStream getInputStream() {
        return content.stream();
    }

    @Override
    public long getLength() {
        return content.length();
    }

    @Override
    public boolean retrySupported() {
        return true;
    }
}
