"""Makes schema.json, by which kubeconform knows the kinds that the manifests have: schema.py SWAGGER >schema.json

SWAGGER is api/openapi-spec/swagger.json of k8s.io/kubernetes (Apache-2.0), which Go fetches:
go mod download -json k8s.io/kubernetes@v1.33.1. Descriptions are left out, and a field that is not there is a fault."""

import json
import sys

KINDS = {
    ("v1", "ConfigMap"): "io.k8s.api.core.v1.ConfigMap",
    ("v1", "Namespace"): "io.k8s.api.core.v1.Namespace",
    ("v1", "ServiceAccount"): "io.k8s.api.core.v1.ServiceAccount",
    ("apps/v1", "DaemonSet"): "io.k8s.api.apps.v1.DaemonSet",
    ("apps/v1", "Deployment"): "io.k8s.api.apps.v1.Deployment",
    ("batch/v1", "CronJob"): "io.k8s.api.batch.v1.CronJob",
    ("batch/v1", "Job"): "io.k8s.api.batch.v1.Job",
    ("networking.k8s.io/v1", "NetworkPolicy"): "io.k8s.api.networking.v1.NetworkPolicy",
}
# Written as a string or as a number.
EITHER = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": ["integer", "string"]},
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": ["number", "string"]},
}

with open(sys.argv[1]) as file:
    swagger = json.load(file)["definitions"]
taken = {}


def plain(value):
    """What a schema says, without words for people; what it refers to is taken as well."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        name = value["$ref"].removeprefix("#/definitions/")
        take(name)
        return {"$ref": "#/definitions/" + name}
    result = {}
    for key, each in value.items():
        if key == "properties":
            result[key] = {name: plain(schema) for name, schema in each.items()}
        elif key in ("type", "items", "required", "enum", "additionalProperties"):
            result[key] = plain(each)
    if "properties" in result:
        result["additionalProperties"] = False
    return result


def take(name):
    if name not in taken:
        taken[name] = {}
        taken[name] = EITHER.get(name) or plain(swagger[name])


choices = []
for (version, kind), name in KINDS.items():
    take(name)
    choices.append(
        {
            "if": {"properties": {"apiVersion": {"const": version}, "kind": {"const": kind}}},
            "then": {"$ref": "#/definitions/" + name},
        }
    )
known = {"anyOf": [choice["if"] for choice in choices]}
schema = {"$schema": "http://json-schema.org/draft-07/schema#", "allOf": [known] + choices, "definitions": taken}
json.dump(schema, sys.stdout, indent=1, sort_keys=True)
print()
