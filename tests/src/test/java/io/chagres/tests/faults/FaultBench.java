package io.chagres.tests.faults;

import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * The ground of a fault scenario: a tree to write into, an archive, a state directory, and whatever the scenario starts
 * or mounts, all ended and removed with it. After a failure the directory stays, and what the shippers said is printed.
 */
final class FaultBench implements AutoCloseable {
    static final String HOST = "web1";

    static final String BUCKET = "archives";

    private final Path root;
    private @Nullable ObjectServer server;
    private String scheme = "s3";
    private String bucket = BUCKET;
    private @Nullable FaultProxy proxy;
    private final List<ShipProcess> ships = new ArrayList<>();
    private final List<LineWriter> writers = new ArrayList<>();
    private final List<Mounted> mounts = new ArrayList<>();
    private final List<FaultyDirectory> faulty = new ArrayList<>();
    private final ExecutorService tasks = Executors.newCachedThreadPool();

    private FaultBench(Path root) throws IOException {
        this.root = root;
        Files.createDirectory(tree());
    }

    /** Puts the archive into a server of S3, before the first shipper. */
    ObjectServer inS3() {
        return server == null ? in(ObjectServer.versitygw()) : server;
    }

    /** Puts the archive into a server that it takes over. */
    ObjectServer in(ObjectServer started) {
        server = started;
        started.makeBucket(BUCKET);
        if (scheme.equals("s3")) { // classes run beside each other: the keys are the same for all servers of S3 alone
            System.setProperty("aws.accessKeyId", started.accessKey());
            System.setProperty("aws.secretAccessKey", started.secretKey());
        }
        return started;
    }

    /** Puts the archive into a server of Google Cloud Storage, before the first shipper. */
    ObjectServer inGcs() {
        scheme = "gs";
        return in(ObjectServer.fakeGcs());
    }

    /** Puts the archive into a server of Azure Blob Storage, before the first shipper. */
    ObjectServer inAzure() {
        scheme = "azblob";
        return in(ObjectServer.azurite());
    }

    /** From now on the archive's address names a bucket that nobody has made. */
    void missBucket(String name) {
        bucket = name;
    }

    Path root() {
        return root;
    }

    /** The followed tree. */
    Path tree() {
        return root.resolve("tree");
    }

    /** Puts the archive into a server behind a proxy, one of S3 unless said, before the first shipper. */
    FaultProxy proxied() {
        FaultProxy started = FaultProxy.before(inS3().endpoint());
        proxy = started;
        return started;
    }

    /** The directory in which the archive's objects lie as files. */
    Path store() {
        return server == null
                ? root.resolve("archive")
                : server.folder().resolve(BUCKET).resolve("archive");
    }

    /** The archive's address for the program. */
    String address() {
        return server == null
                ? store().toString()
                : scheme + "://" + bucket + "/archive?endpoint="
                        + (proxy == null
                                ? server.endpoint()
                                : proxy.endpoint().resolve(server.endpoint().getPath()));
    }

    /** The environment that the program needs to reach the archive. */
    Map<String, String> environment() {
        if (server == null) {
            return Map.of();
        }
        Map<String, String> environment = new HashMap<>(Chagres.ONE_COMPILER);
        boolean azure = scheme.equals("azblob");
        environment.put(azure ? "AZURE_STORAGE_ACCOUNT" : "AWS_ACCESS_KEY_ID", server.accessKey());
        environment.put(azure ? "AZURE_STORAGE_KEY" : "AWS_SECRET_ACCESS_KEY", server.secretKey());
        return environment;
    }

    Path state() {
        return root.resolve("state");
    }

    /** Returns a path in the followed tree. */
    Path file(String name) {
        return tree().resolve(name);
    }

    /** Starts to describe a shipper that follows nothing yet. */
    Shipping shipping() {
        return new Shipping(this, root.resolve("ship" + ships.size() + ".err"), ships::add);
    }

    /** Starts a shipper of the tree in this JVM and waits for its first scan. */
    ShipProcess ship(String... options) {
        return shipping().paths(tree()).options(options).here().awaitScanned();
    }

    /** Starts one as a process, for a scenario that kills it or sends it a signal. */
    ShipProcess shipProcess(String... options) {
        return shipping().paths(tree()).options(options).start().awaitScanned();
    }

    /** Asks the shippers of this state directory, as an operator would, to commit all that is there. */
    Program askToDrain(String... options) {
        List<String> command = new ArrayList<>(List.of("drain", "--state", state().toString()));
        command.addAll(List.of(options));
        return Chagres.run(command);
    }

    /** The archive, read in this JVM. Its keys are in system properties, and for Azure in the environment (pom.xml). */
    Archive archive() {
        return new Archive(address(), store(), root, environment(), List.of());
    }

    /** Verifies the archive and restores it. */
    Restored restored(String... options) {
        return restored(archive(), options);
    }

    Restored restored(Archive archive, String... options) {
        archive.verify();
        boolean inDirectory = archive.address().equals(archive.store().toString());
        return new Restored(archive.restore(options).resolve(HOST), inDirectory ? archive.store() : null);
    }

    /** Restores an archive that may lack commits: if it does they are named, and everything else is restored. */
    Restored restoredAsItIs(Archive archive) {
        return new Restored(archive.restoreAsItIs(), archive.store());
    }

    LineWriter writer(String stream) {
        LineWriter writer = new LineWriter(stream);
        writers.add(writer);
        return writer;
    }

    Mounted tmpfs(String name, String options) {
        return mounted(Mounted.tmpfs(root.resolve(name), options));
    }

    Mounted mounted(Mounted mounted) {
        mounts.add(mounted);
        return mounted;
    }

    /** Mounts a directory in whose way faults can be put; its files are outside of the tree. */
    FaultyDirectory faulty(String name) {
        return faulty(name, false);
    }

    /** Mounts one whose power can be cut, if that is wanted. */
    FaultyDirectory faulty(String name, boolean powerLoss) {
        FaultyDirectory mounted = FaultyDirectory.mount(root.resolve(name), root.resolve("behind"), powerLoss);
        faulty.add(mounted);
        return mounted;
    }

    /** Threads for writers and rotations that run beside the test. */
    ExecutorService tasks() {
        return tasks;
    }

    private String report() {
        StringBuilder report = new StringBuilder("left in place: " + root);
        ships.forEach(ship -> report.append("\n-- ").append(ship.report()));
        return report.toString();
    }

    /** Ends everything; the directory stays. */
    @Override
    public void close() {
        tasks.shutdownNow();
        ships.forEach(ShipProcess::close);
        writers.forEach(LineWriter::close);
        faulty.forEach(FaultyDirectory::close);
        mounts.reversed().forEach(Mounted::close);
        if (proxy != null) {
            proxy.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** Gives each test its bench. Made before the test, not as its parameter: there a skip would be an error. */
    static final class Extension implements BeforeEachCallback, ParameterResolver, AfterEachCallback {
        private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(FaultBench.class);

        @Override
        public void beforeEach(ExtensionContext context) throws IOException {
            String test = context.getRequiredTestMethod().getName();
            FaultBench bench = new FaultBench(
                    Files.createTempDirectory("chagres-" + test + "-").toRealPath());
            context.getStore(SPACE).put("bench", bench);
            if (context.getRequiredTestClass().isAnnotationPresent(FaultsInS3Test.InS3.class)) {
                bench.inS3();
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == FaultBench.class;
        }

        @Override
        public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getStore(SPACE).get("bench");
        }

        @Override
        public void afterEach(ExtensionContext context) {
            FaultBench bench = context.getStore(SPACE).remove("bench", FaultBench.class);
            if (bench == null) {
                return;
            }
            boolean failed = context.getExecutionException()
                    .filter(failure -> !(failure instanceof TestAbortedException))
                    .isPresent();
            if (failed) {
                System.out.println(context.getDisplayName() + " failed; " + bench.report());
            }
            bench.close();
            if (!failed) {
                Program.ok("rm", "-rf", "--one-file-system", bench.root.toString());
            }
        }
    }
}
