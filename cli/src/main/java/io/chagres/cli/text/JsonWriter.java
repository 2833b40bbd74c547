package io.chagres.cli.text;

import io.chagres.linux.Pathname;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Builds one JSON value as text, member by member; no reflection and no dependency. Confined to one thread. */
public final class JsonWriter {
    private final StringBuilder text = new StringBuilder(256);
    private boolean first = true;

    /** Opens an object; call {@link #name} before it inside another object. */
    public JsonWriter beginObject() {
        return open('{');
    }

    /** Closes the innermost object. */
    public JsonWriter endObject() {
        return close('}');
    }

    /** Opens an array. */
    public JsonWriter beginArray() {
        return open('[');
    }

    /** Closes the innermost array. */
    public JsonWriter endArray() {
        return close(']');
    }

    /** Writes the name of the next member. */
    public JsonWriter name(String name) {
        comma();
        quote(name);
        text.append(':');
        first = true; // the value follows the colon without a comma
        return this;
    }

    /** Writes a string, or {@code null}. */
    public JsonWriter value(@Nullable String value) {
        comma();
        if (value == null) {
            text.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    /** Writes a whole number. */
    public JsonWriter value(long value) {
        comma();
        text.append(value);
        return this;
    }

    /** Writes {@code true} or {@code false}. */
    public JsonWriter value(boolean value) {
        comma();
        text.append(value);
        return this;
    }

    /** Writes one member of the open object. */
    public JsonWriter member(String name, @Nullable String value) {
        return name(name).value(value);
    }

    /** Writes one member of the open object. */
    public JsonWriter member(String name, long value) {
        return name(name).value(value);
    }

    /** Writes one member of the open object. */
    public JsonWriter member(String name, boolean value) {
        return name(name).value(value);
    }

    /** Writes one member of the open object: a number, or {@code null} for a negative one, which nobody knows. */
    public JsonWriter knownMember(String name, long value) {
        return value < 0 ? member(name, null) : member(name, value);
    }

    /** Writes a time as an ISO instant. */
    public JsonWriter timeMember(String name, long epochMs) {
        return member(name, Instant.ofEpochMilli(epochMs).toString());
    }

    /** Returns the text written so far. */
    @Override
    public String toString() {
        return text.toString();
    }

    private JsonWriter open(char bracket) {
        comma();
        text.append(bracket);
        first = true;
        return this;
    }

    private JsonWriter close(char bracket) {
        text.append(bracket);
        first = false;
        return this;
    }

    private void comma() {
        if (!first) {
            text.append(',');
        }
        first = false;
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"', '\\' -> text.append('\\').append(c);
                case '\n' -> text.append("\\n");
                case '\t' -> text.append("\\t");
                default -> {
                    if (!Pathname.isShown(c)) {
                        text.append("\\u").append(HexFormat.of().toHexDigits(c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
