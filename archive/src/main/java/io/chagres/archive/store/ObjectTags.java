package io.chagres.archive.store;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The tags that objects get: {@code tags=team=ops,env=prod} of an address. Immutable.
 *
 * @param all names and values in their order
 */
public record ObjectTags(Map<String, String> all) {
    /** The parameter of an address. */
    public static final String PARAMETER = "tags";

    private static final int MAX_TAGS = 10;
    private static final int MAX_NAME = 128;
    private static final int MAX_VALUE = 256;

    /**
     * Reads the tags of an address.
     *
     * @throws StoreException when the parameter has another form, or holds more than stores take
     */
    public static ObjectTags parse(ObjectAddress place) throws StoreException {
        Map<String, String> tags = new LinkedHashMap<>();
        for (String pair : place.parameters().getOrDefault(PARAMETER, "").split("[,&]")) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            boolean fits = equals > 0
                    && name.length() <= MAX_NAME
                    && value.length() <= MAX_VALUE
                    && pair.codePoints().noneMatch(Character::isISOControl);
            if (!fits || tags.put(name, value) != null) {
                throw new StoreException(place.name() + ": tags are NAME=VALUE,NAME=VALUE, each name once, of at most "
                        + MAX_NAME + " characters and values of " + MAX_VALUE);
            }
        }
        if (tags.size() > MAX_TAGS) {
            throw new StoreException(place.name() + ": an object has at most " + MAX_TAGS + " tags");
        }
        return new ObjectTags(tags);
    }

    /** Returns them as a query of a URL. */
    public String encoded() {
        return all.entrySet().stream()
                .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
