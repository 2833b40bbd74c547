#!/bin/sh
# Grants a principal the rights of one host: azure.sh CONTAINER-SCOPE PREFIX HOSTID PRINCIPAL-ID
# CONTAINER-SCOPE is /subscriptions/.../storageAccounts/ACCOUNT/blobServices/default/containers/CONTAINER.
# The role, which is made once, reads and adds blobs, and neither replaces nor deletes; the conditions keep each host to
# its own names.
set -eu
[ $# = 4 ] || { echo "usage: azure.sh CONTAINER-SCOPE PREFIX HOSTID PRINCIPAL-ID" >&2 && exit 2; }
scope=$1 prefix=$2 host=$3 principal=$4
blobs=Microsoft.Storage/storageAccounts/blobServices/containers/blobs
role='Chagres host'

[ -n "$(az role definition list --name "$role" --query '[].id' --output tsv)" ] ||
    az role definition create --role-definition "{\"Name\": \"$role\", \"Description\": \"Reads and adds blobs\",
        \"Actions\": [], \"DataActions\": [\"$blobs/read\", \"$blobs/add/action\"],
        \"AssignableScopes\": [\"${scope%%/resourceGroups/*}\"]}"

path="@Resource[$blobs:path]"
listed="@Request[$blobs:prefix]"
az role assignment create --role "$role" --scope "$scope" --assignee-object-id "$principal" \
    --assignee-principal-type ServicePrincipal --condition-version 2.0 --condition "(
  (!(ActionMatches{'$blobs/add/action'})
   OR $path StringEquals '$prefix/hosts/$host/host' OR $path StringStartsWith '$prefix/hosts/$host/log/'
   OR $path StringStartsWith '$prefix/hosts/$host/streams/' OR $path StringStartsWith '$prefix/hosts/$host/tables/'
   OR $path StringStartsWith '$prefix/hosts/$host/alive/'
   OR $path StringEquals '$prefix/probe' OR $path StringLike '$prefix/names/*-$host')
  AND
  (!(ActionMatches{'$blobs/read'} AND NOT SubOperationMatches{'Blob.List'})
   OR $path StringStartsWith '$prefix/hosts/$host/' OR $path StringEquals '$prefix/probe')
  AND
  (!(ActionMatches{'$blobs/read'} AND SubOperationMatches{'Blob.List'})
   OR $listed StringStartsWith '$prefix/hosts/$host/' OR $listed StringStartsWith '$prefix/compacted/$host/' OR $listed StringStartsWith '$prefix/names/')
)"
