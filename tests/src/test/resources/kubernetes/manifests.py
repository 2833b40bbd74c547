"""Checks the manifests in a directory, and puts into another how the DaemonSet starts the program: manifests.py DIR OUT

OUT receives chagres.toml as the ConfigMap has it, and the arguments, one in a line, which name it there."""

import re
import sys

import yaml

directory = sys.argv[1]
out = sys.argv[2]


def load(name):
    with open(f"{directory}/{name}") as file:
        return list(yaml.safe_load_all(file))


def check_pod(pod):
    """What every pod of ours keeps to."""
    assert pod["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
    volumes = {volume["name"] for volume in pod["volumes"]}
    for container in pod.get("initContainers", []) + pod["containers"]:
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False and "privileged" not in security
        assert security["capabilities"]["drop"] == ["ALL"]
        assert security["seccompProfile"]["type"] == "RuntimeDefault"
        command = container.get("command", []) + container.get("args", [])
        defined = {variable["name"] for variable in container.get("env", [])} | {"JOB_COMPLETION_INDEX"}
        for name in re.findall(r"\$\((\w+)\)", " ".join(command)):
            assert name in defined, f"{name} is not defined"
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def check_drain(pod, drain):
    """Kubernetes has to wait longer than the program drains."""
    assert int(drain.removesuffix("s")) < pod["terminationGracePeriodSeconds"]


objects = {document["kind"]: document for document in load("daemonset.yaml")}
assert objects.keys() == {"Namespace", "ServiceAccount", "ConfigMap", "DaemonSet", "NetworkPolicy"}
config = objects["ConfigMap"]
namespace = objects["Namespace"]["metadata"]["name"]
assert all(document["metadata"].get("namespace", namespace) == namespace for document in objects.values())

spec = objects["DaemonSet"]["spec"]
assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
pod = spec["template"]["spec"]
assert pod["serviceAccountName"] == objects["ServiceAccount"]["metadata"]["name"]
check_pod(pod)
(container,) = pod["containers"]
(volume,) = [each for each in pod["volumes"] if "configMap" in each]
assert volume["configMap"]["name"] == config["metadata"]["name"]
(mounted,) = [mount["mountPath"] for mount in container["volumeMounts"] if mount["name"] == volume["name"]]
text = config["data"]["chagres.toml"]
check_drain(pod, re.search(r'^drain = "(.*)"$', text, re.MULTILINE).group(1))
assert container["securityContext"]["capabilities"]["add"] == ["DAC_READ_SEARCH"]
assert container["securityContext"]["readOnlyRootFilesystem"] is True
assert [mount["name"] for mount in container["volumeMounts"] if not mount.get("readOnly")] == ["state"]

policy = objects["NetworkPolicy"]["spec"]
assert policy["podSelector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
assert policy["ingress"] == []
for probe in ("livenessProbe", "readinessProbe"):
    assert ":7788" in container["args"][-1] and " 7788 " in container[probe]["exec"]["command"][-1]

(sidecar,) = load("sidecar.yaml")
pod = sidecar["spec"]["template"]["spec"]
check_pod(pod)
(container,) = pod["initContainers"]
assert container["restartPolicy"] == "Always"
(drain,) = [each.removeprefix("--drain=") for each in container["args"] if each.startswith("--drain=")]
check_drain(pod, drain)
(container,) = objects["DaemonSet"]["spec"]["template"]["spec"]["containers"]

(job,) = load("job.yaml")
pod = job["spec"]["template"]["spec"]
check_pod(pod)
arguments = pod["containers"][0]["args"]
assert "--" in arguments
check_drain(pod, arguments[arguments.index("--drain") + 1])

with open(f"{out}/chagres.toml", "w") as file:
    file.write(text)
with open(f"{out}/arguments", "w") as file:
    for argument in container["args"]:
        argument = argument.replace("$(NODE_NAME)", "node1").replace(mounted + "/", out + "/").replace(":7788", ":0")
        file.write(argument + "\n")

account, compact = load("compact.yaml")
assert account["kind"] == "ServiceAccount"
assert account["metadata"]["name"] != objects["ServiceAccount"]["metadata"]["name"]
pod = compact["spec"]["jobTemplate"]["spec"]["template"]["spec"]
assert pod["serviceAccountName"] == account["metadata"]["name"]
check_pod(pod)
indexed = compact["spec"]["jobTemplate"]["spec"]
assert indexed["completionMode"] == "Indexed"
(container,) = indexed["template"]["spec"]["containers"]
assert f"--shard=$(JOB_COMPLETION_INDEX)/{indexed['completions']}" in container["args"]
