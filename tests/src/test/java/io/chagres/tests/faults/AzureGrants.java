package io.chagres.tests.faults;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Rights on blobs as Azure grants them: by a role, and an assignment with a condition on attributes, of whose language
 * this knows what the script uses.
 *
 * @param role its definition
 * @param condition of the assignment
 * @see <a href="https://learn.microsoft.com/azure/role-based-access-control/conditions-format">conditions</a>
 * @see <a href="https://learn.microsoft.com/azure/storage/blobs/storage-auth-abac-attributes">attributes</a>
 */
record AzureGrants(String role, String condition) implements Grants {
    private static final String BLOBS = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs";
    private static final Pattern CONDITION = Pattern.compile("(Action|SubOperation)Matches\\{'([^']*)'}"
            + "|@(?:Resource|Request)\\[" + BLOBS + ":(path|prefix)] String(StartsWith|Equals|Like) '([^']*)'");

    static AzureGrants of(Path scratch, String hostId) throws IOException {
        String scope = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a"
                + "/blobServices/default/containers/" + CONTAINER;
        List<List<String>> calls = Grants.noted(scratch, "az", "azure.sh", scope, PREFIX, hostId, "principal");
        return new AzureGrants(
                Grants.option(calls.get(1), "--role-definition"), Grants.option(calls.get(2), "--condition"));
    }

    @Override
    public boolean allows(String method, String target) {
        String[] path = URI.create(target).getRawPath().split("/", 4); // the account, the container, the blob
        boolean isBlob = path.length == 4 && path[2].equals(CONTAINER);
        String blob = isBlob ? Grants.decoded(path[3]) : "";
        return switch (method) {
            case "PUT" -> isBlob && allows("add/action", "", blob, "");
            case "GET", "HEAD" ->
                isBlob
                        ? allows("read", "", blob, "")
                        : Grants.parameter(target, "comp").equals("list")
                                && allows("read", "Blob.List", "", Grants.parameter(target, "prefix"));
            default -> false;
        };
    }

    private boolean allows(String action, String suboperation, String path, String prefix) {
        String words = condition.replaceAll("\\bAND\\b", "&&");
        return role.contains('"' + BLOBS + '/' + action + '"')
                && Grants.holds(
                        words.replaceAll("\\bOR\\b", "||").replaceAll("\\bNOT\\b", "!"),
                        CONDITION,
                        match -> isTrue(match, BLOBS + '/' + action, suboperation, path, prefix));
    }

    private static boolean isTrue(MatchResult match, String action, String suboperation, String path, String prefix) {
        if (match.group(1) != null) {
            return match.group(2).equals(match.group(1).equals("Action") ? action : suboperation);
        }
        String value = match.group(3).equals("path") ? path : prefix;
        String wanted = match.group(5);
        return switch (match.group(4)) {
            case "StartsWith" -> value.startsWith(wanted);
            case "Like" -> value.matches(Pattern.quote(wanted).replace("*", "\\E.*\\Q"));
            default -> value.equals(wanted);
        };
    }
}
