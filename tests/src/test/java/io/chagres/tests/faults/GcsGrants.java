package io.chagres.tests.faults;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Rights on objects as Google Cloud Storage grants them: by bindings of roles, each with a condition in the Common
 * Expression Language. This knows the part that the script uses.
 *
 * @param bindings the arguments that {@code gcloud} got
 * @see <a href="https://cloud.google.com/storage/docs/access-control/iam-roles">roles</a>
 * @see <a href="https://cloud.google.com/iam/docs/conditions-attribute-reference">attributes</a>
 */
record GcsGrants(List<List<String>> bindings) implements Grants {
    private static final String OBJECTS = "/storage/v1/b/" + CONTAINER + "/o";
    private static final Pattern CONDITION = Pattern.compile(
            "(resource\\.name|api\\.getAttribute\\(\"storage\\.googleapis\\.com/objectListPrefix\", \"\"\\))"
                    + "(?:\\.(startsWith|endsWith)\\(\"([^\"]*)\"\\)| (==) \"([^\"]*)\")");

    static GcsGrants of(Path scratch, String hostId) throws IOException {
        return new GcsGrants(Grants.noted(scratch, "gcloud", "gcs.sh", CONTAINER, PREFIX, hostId, "host@example.com"));
    }

    @Override
    public boolean allows(String method, String target) {
        String path = URI.create(target).getRawPath();
        if (method.equals("POST") && path.equals("/upload" + OBJECTS)) {
            return allows("roles/storage.objectCreator", named(Grants.parameter(target, "name")), "");
        }
        String reads = "roles/storage.objectViewer";
        if (method.equals("GET") && path.equals(OBJECTS)) {
            return allows(reads, "projects/_/buckets/" + CONTAINER, Grants.parameter(target, "prefix"));
        }
        String object = path.replaceFirst("^/download", "");
        return method.equals("GET")
                && object.startsWith(OBJECTS + "/")
                && allows(reads, named(Grants.decoded(object.substring(OBJECTS.length() + 1))), "");
    }

    private static String named(String object) {
        return "projects/_/buckets/" + CONTAINER + "/objects/" + object;
    }

    private boolean allows(String role, String resource, String listed) {
        return bindings.stream()
                .filter(binding -> Grants.option(binding, "--role").equals(role))
                .map(binding -> Grants.option(binding, "--condition").split(":expression=", 2)[1])
                .anyMatch(expression ->
                        Grants.holds(expression, CONDITION, condition -> isTrue(condition, resource, listed)));
    }

    private static boolean isTrue(MatchResult condition, String resource, String listed) {
        String value = condition.group(1).startsWith("resource") ? resource : listed;
        if (condition.group(4) != null) {
            return value.equals(condition.group(5));
        }
        return condition.group(2).equals("startsWith")
                ? value.startsWith(condition.group(3))
                : value.endsWith(condition.group(3));
    }
}
