package io.chagres.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes objects out of a list of S3, Google Cloud Storage or Azure Blob Storage, as if the store did not know of them
 * yet.
 *
 * @param lag objects that were written within this time are left out
 */
record ListingFilter(Duration lag) implements Upstream.Passing {
    private static final Pattern OBJECT =
            Pattern.compile("<(Contents|Blob)>.*?<Last-?Modified>([^<]*)</Last-?Modified>.*?</\\1>", Pattern.DOTALL);
    private static final Pattern KEY_COUNT = Pattern.compile("<KeyCount>\\d+</KeyCount>");
    private static final Pattern ITEMS = Pattern.compile("\"items\"\\s*:\\s*\\[");
    private static final Pattern UPDATED = Pattern.compile("\"updated\"\\s*:\\s*\"([^\"]*)\"");

    @Override
    public boolean pass(HttpHead head, InputStream in, OutputStream out) throws IOException {
        if (head.status() != HttpURLConnection.HTTP_OK) {
            out.write(head.bytes());
            return true;
        }
        String listing = new String(body(head, in), StandardCharsets.UTF_8);
        byte[] body =
                (ITEMS.matcher(listing).find() ? ofJson(listing) : ofXml(listing)).getBytes(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>(head.lines());
        lines.removeIf(line -> line.matches("(?i)(content-length|transfer-encoding):.*"));
        lines.add("Content-Length: " + body.length);
        out.write(new HttpHead(lines).bytes());
        out.write(body);
        return true;
    }

    private static byte[] body(HttpHead head, InputStream in) throws IOException {
        if (!head.header("Transfer-Encoding").equalsIgnoreCase("chunked")) {
            return in.readNBytes(Integer.parseInt(head.header("Content-Length")));
        }
        List<byte[]> chunks = new ArrayList<>();
        for (int length = -1; length != 0; ) {
            length = Integer.parseInt(
                    HttpHead.readLine(in, in.read()).split(";", 2)[0].strip(), 16);
            chunks.add(in.readNBytes(length));
            HttpHead.readLine(in, in.read());
        }
        int total = chunks.stream().mapToInt(chunk -> chunk.length).sum();
        ByteBuffer all = ByteBuffer.allocate(total);
        chunks.forEach(all::put);
        return all.array();
    }

    private boolean isShown(Instant modified) {
        return modified.isBefore(Instant.now().minus(lag));
    }

    private String ofXml(String listing) {
        String left = OBJECT.matcher(listing)
                .replaceAll(object -> isShown(time(object.group(2))) ? Matcher.quoteReplacement(object.group()) : "");
        long count = OBJECT.matcher(left).results().count();
        return KEY_COUNT.matcher(left).replaceAll("<KeyCount>" + count + "</KeyCount>");
    }

    private static Instant time(String text) {
        return text.endsWith("Z")
                ? Instant.parse(text)
                : ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
    }

    /** Keys and texts of it hold no braces. */
    private String ofJson(String listing) {
        Matcher items = ITEMS.matcher(listing);
        List<String> shown = new ArrayList<>();
        int at = items.find() ? items.end() : listing.length();
        int depth = 0;
        int begin = at;
        int end = at;
        for (; end < listing.length() && (depth > 0 || listing.charAt(end) != ']'); end++) {
            char c = listing.charAt(end);
            if (c == '{' && depth++ == 0) {
                begin = end;
            } else if (c == '}' && --depth == 0) {
                String item = listing.substring(begin, end + 1);
                Matcher updated = UPDATED.matcher(item);
                if (!updated.find() || isShown(Instant.parse(updated.group(1)))) {
                    shown.add(item);
                }
            }
        }
        return listing.substring(0, at) + String.join(",", shown) + listing.substring(end);
    }
}
