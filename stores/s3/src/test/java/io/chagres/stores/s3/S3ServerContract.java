package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ServerStoreContract;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Runs the contract on a server of S3, whose credentials this process then knows. */
abstract class S3ServerContract extends ServerStoreContract {
    private URI endpoint = URI.create("http://127.0.0.1");

    @Override
    protected BlobStore open(ObjectServer running, String path) throws IOException {
        System.setProperty("aws.accessKeyId", running.accessKey());
        System.setProperty("aws.secretAccessKey", running.secretKey());
        endpoint = running.endpoint();
        return new S3StoreProvider().open("s3://" + path + "/deep?endpoint=" + running.endpoint(), true, note -> {});
    }

    /** A server passes over headers that it does not know; it refuses none of them. */
    @Test
    void keepsObjectsAsTheAddressAsks() throws IOException {
        open().close(); // the credentials are known then
        String address = "s3://bucket/kept?endpoint=" + endpoint
                + "&tags=team=ops,env=a b&storage-class=STANDARD&requester-pays=true";
        String data = ArchiveLayout.object("0123456789abcdef", 1, 0, 9, 7, Codec.ZSTD);
        MemorySegment content = MemorySegment.ofArray(new byte[9]);
        try (BlobStore store = new S3StoreProvider().open(address, true, note -> {})) {
            assertThat(store.putIfAbsent(data, content)).isTrue();
            assertThat(store.putIfAbsent(data, content)).isFalse();
            assertThat(store.size(data)).isEqualTo(9);
            store.delete(data);
        }
    }

    @AfterAll
    void forgetCredentials() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }
}
