package io.chagres.archive.age;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.age.AgeException.Fault;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** The vectors of the format's authors (C2SP CCTV, age, 2025-12-08) that have an X25519 identity and no armor. */
@Tag("long")
final class AgeTestkitTest {
    private static final Map<String, Fault> FAULTS = Map.of(
            "header failure", Fault.HEADER,
            "no match", Fault.NO_MATCH,
            "HMAC failure", Fault.MAC,
            "payload failure", Fault.PAYLOAD);

    @TestFactory
    List<DynamicTest> vectors() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        try (ZipInputStream zip =
                new ZipInputStream(Objects.requireNonNull(AgeTestkitTest.class.getResourceAsStream("testkit.zip")))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                byte[] bytes = zip.readAllBytes();
                tests.add(DynamicTest.dynamicTest(entry.getName(), () -> check(bytes)));
            }
        }
        assertThat(tests).hasSize(67);
        return tests;
    }

    private static void check(byte[] vector) throws Exception {
        Map<String, String> header = new HashMap<>();
        List<AgeIdentity> identities = new ArrayList<>();
        int at = 0;
        for (String line = line(vector, at); !line.isEmpty(); line = line(vector, at)) {
            String[] field = line.split(": ", 2);
            header.put(field[0], field[1]);
            if (field[0].equals("identity")) {
                identities.add(AgeIdentity.parse(field[1]));
            }
            at += line.length() + 1;
        }
        byte[] file = Arrays.copyOfRange(vector, at + 1, vector.length);
        if (header.containsKey("compressed")) {
            file = new InflaterInputStream(new ByteArrayInputStream(file)).readAllBytes();
        }
        byte[] encrypted = file;
        String expected = Objects.requireNonNull(header.get("expect"));
        if (expected.equals("success")) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(Age.decrypt(identities, encrypted));
            assertThat(HexFormat.of().formatHex(digest)).isEqualTo(header.get("payload"));
        } else {
            assertThatThrownBy(() -> Age.decrypt(identities, encrypted))
                    .isInstanceOfSatisfying(
                            AgeException.class, e -> assertThat(e.fault()).isEqualTo(FAULTS.get(expected)));
        }
    }

    private static String line(byte[] bytes, int from) {
        int end = from;
        while (bytes[end] != '\n') {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.US_ASCII);
    }
}
