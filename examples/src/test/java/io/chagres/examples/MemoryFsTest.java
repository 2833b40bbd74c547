package io.chagres.examples;

import io.chagres.fuse.FuseServer;
import java.io.IOException;
import java.time.Clock;

class MemoryFsTest extends FileSystemContract {
    @Override
    FuseServer mounted() throws IOException {
        return FuseServer.mount(new MemoryFs(Clock.systemUTC()), directory, MemoryFs.OPTIONS.withTransport(transport));
    }
}
