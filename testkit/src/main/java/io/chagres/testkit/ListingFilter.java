package io.chagres.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes objects out of the answers to ListObjectsV2 of S3, as if the store did not know of them yet. Keys must need no
 * escapes in XML or in a URL.
 *
 * @param target of the request: the bucket's path and the query
 * @param hides says of the path of an object, with its bucket, whether it is left out
 */
record ListingFilter(String target, Predicate<String> hides) implements Upstream.Passing {
    private static final Pattern OBJECT =
            Pattern.compile("<Contents>.*?<Key>([^<]*)</Key>.*?</Contents>", Pattern.DOTALL);
    private static final Pattern COUNT = Pattern.compile("<KeyCount>\\d+</KeyCount>");

    @Override
    public boolean pass(HttpHead head, InputStream in, OutputStream out) throws IOException {
        if (head.status() != HttpURLConnection.HTTP_OK) {
            out.write(head.bytes());
            return true;
        }
        if (head.header("Content-Length").isEmpty()) {
            throw new ProtocolException("a listing without its length");
        }
        String listing =
                new String(in.readNBytes(Integer.parseInt(head.header("Content-Length"))), StandardCharsets.UTF_8);
        byte[] body = filtered(listing).getBytes(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>(head.lines());
        lines.removeIf(line -> line.regionMatches(true, 0, "Content-Length:", 0, "Content-Length:".length()));
        lines.add("Content-Length: " + body.length);
        out.write(new HttpHead(lines).bytes());
        out.write(body);
        return true;
    }

    private String filtered(String listing) {
        String bucket = target.split("[?]", 2)[0].replaceFirst("/$", "");
        String left = OBJECT.matcher(listing)
                .replaceAll(object ->
                        hides.test(bucket + "/" + object.group(1)) ? "" : Matcher.quoteReplacement(object.group()));
        long count = OBJECT.matcher(left).results().count();
        return COUNT.matcher(left).replaceAll("<KeyCount>" + count + "</KeyCount>");
    }
}
