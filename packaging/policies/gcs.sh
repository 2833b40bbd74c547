#!/bin/sh
# Grants a service account the rights of one host: gcs.sh BUCKET PREFIX HOSTID SERVICE-ACCOUNT
# The role Storage Object Creator may not replace or delete an object; the conditions keep each to its own names.
# The bucket needs uniform bucket-level access.
set -eu
[ $# = 4 ] || { echo "usage: gcs.sh BUCKET PREFIX HOSTID SERVICE-ACCOUNT" >&2 && exit 2; }
bucket=$1 prefix=$2 host=$3 account=$4
objects="projects/_/buckets/$bucket/objects/$prefix"

# grant ROLE TITLE EXPRESSION
grant() {
    gcloud storage buckets add-iam-policy-binding "gs://$bucket" --member="serviceAccount:$account" --role="$1" \
        --condition="^:^title=$2:expression=$3"
}

own="resource.name.startsWith(\"$objects/hosts/$host/\") || resource.name == \"$objects/probe\""
made="resource.name == \"$objects/hosts/$host/host\" || resource.name == \"$objects/probe\""
for folder in log streams tables alive; do
    made="$made || resource.name.startsWith(\"$objects/hosts/$host/$folder/\")"
done
grant roles/storage.objectCreator "$host-creates" \
    "$made || (resource.name.startsWith(\"$objects/names/\") && resource.name.endsWith(\"-$host\"))"
listed='api.getAttribute("storage.googleapis.com/objectListPrefix", "")'
grant roles/storage.objectViewer "$host-reads" \
    "$own || $listed.startsWith(\"$prefix/hosts/$host/\") || $listed.startsWith(\"$prefix/compacted/$host/\") || $listed.startsWith(\"$prefix/names/\")"
