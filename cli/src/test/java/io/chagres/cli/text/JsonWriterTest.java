package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class JsonWriterTest {
    @Test
    void writesNestedValues() {
        JsonWriter json = new JsonWriter().beginObject();
        json.member("a", 1).member("b", "x").member("c", (String) null).member("d", true);
        json.name("e")
                .beginArray()
                .value(1)
                .value("y")
                .beginObject()
                .endObject()
                .endArray();
        json.name("f").beginObject().member("g", -1).endObject().endObject();
        assertThat(json.toString())
                .isEqualTo("{\"a\":1,\"b\":\"x\",\"c\":null,\"d\":true,\"e\":[1,\"y\",{}],\"f\":{\"g\":-1}}");
    }

    @Test
    void escapesWhatJsonAndTerminalsMustNotSee() {
        assertThat(new JsonWriter()
                        .value("\"\\\n\t\u0001\u001b\u007f\u00e4\u009b\u202e")
                        .toString())
                .isEqualTo("\"\\\"\\\\\\n\\t\\u0001\\u001b\\u007f\u00e4\\u009b\\u202e\"");
    }

    @Test
    void writesTimesAsInstants() {
        assertThat(new JsonWriter()
                        .beginObject()
                        .timeMember("t", 1500)
                        .endObject()
                        .toString())
                .isEqualTo("{\"t\":\"1970-01-01T00:00:01.500Z\"}");
    }
}
