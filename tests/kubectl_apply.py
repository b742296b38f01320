#!/usr/bin/env python3
"""Compares `merge3 apply` with `kubectl apply`, by value, on generated resources.

    python3 tests/kubectl_apply.py --bin target/release/merge3 [--count 300]

`kubectl apply` wants a server. The one here knows which kinds there are and hands out the live object; the patch that kubectl computes
for it is caught, and `kubectl patch --local` carries that patch out. So both halves are kubectl's own.
"""

import argparse
import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
GROUPS = {
    "v1": {"ConfigMap": "configmaps", "Service": "services", "Pod": "pods", "ServiceAccount": "serviceaccounts"},
    "apps/v1": {"Deployment": "deployments", "StatefulSet": "statefulsets"},
    "networking.k8s.io/v1": {"Ingress": "ingresses"},
    "acme.io/v1": {"Shop": "shops"},
}


# How a key can be written in YAML that is no word: for Kubernetes it is one key, whichever of these it is.
SPELLINGS = {"9000": ["9000", "0x2328"], "true": ["true", "y"], "1.5": ["1.5", "1.50"], "2020-01-01": ["2020-01-01"]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/api":
            return self.answer({"kind": "APIVersions", "versions": ["v1"]})
        if path == "/apis":
            groups = [
                {
                    "name": group.split("/")[0],
                    "versions": [{"groupVersion": group, "version": "v1"}],
                    "preferredVersion": {"groupVersion": group, "version": "v1"},
                }
                for group in GROUPS
                if "/" in group
            ]
            return self.answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        for group, kinds in GROUPS.items():
            if path == ("/apis/" if "/" in group else "/api/") + group:
                verbs = ["create", "get", "list", "patch"]
                resources = [
                    {"name": name, "singularName": "", "namespaced": True, "kind": kind, "verbs": verbs}
                    for kind, name in kinds.items()
                ]
                return self.answer(
                    {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group, "resources": resources}
                )
        live = self.server.lives.get(path)
        if live is not None:
            return self.answer(live)
        return self.answer({"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404}, 404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.created.append(body)
        self.answer(body, 201)

    def do_PATCH(self):
        path = self.path.split("?")[0]
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.patches[path] = (self.headers["Content-Type"], body)
        self.answer(self.server.lives[path])


def path_of(resource):
    group = resource["apiVersion"]
    prefix = "/apis/" if "/" in group else "/api/"
    name = GROUPS[group][resource["kind"]]
    return f"{prefix}{group}/namespaces/default/{name}/{resource['metadata']['name']}"


class Maker:
    """Random resources: a base, and two edits of it."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, items):
        return [item for item in items if self.random.random() < 0.6]

    def map_of(self, make, names="abcde"):
        return {name: make() for name in self.some(list(names) + list(SPELLINGS))}

    def spelled(self, text):
        """JSON in which some keys are no texts any more."""
        for name, spellings in SPELLINGS.items():
            if self.random.random() < 0.5:
                text = text.replace(f'"{name}":', self.random.choice(spellings) + ":")
        return text

    def word(self):
        return self.random.choice(["x", "y", "z<&>", "1", "true", "é", ""])

    def maybe(self, fields):
        return {name: make() for name, make in fields.items() if self.random.random() < 0.6}

    def keyed(self, key, names, fields):
        elements = [{key: name, **self.maybe(fields)} for name in self.some(names)]
        self.random.shuffle(elements)
        return elements

    def container(self):
        return {
            "image": self.word,
            "args": lambda: self.some("abcd"),
            "env": lambda: self.keyed("name", ["A", "B", "C"], {"value": self.word}),
            "ports": lambda: self.keyed("containerPort", [80, 81, 82], {"name": self.word}),
            "volumeMounts": lambda: self.keyed("mountPath", ["/a", "/b"], {"name": self.word}),
            "resources": lambda: {"limits": self.map_of(self.word, ["cpu", "memory"])},
            "command": lambda: self.some("abcd"),
        }

    def pod(self):
        return self.maybe(
            {
                "containers": lambda: self.keyed("name", ["a", "b", "c"], self.container()),
                "initContainers": lambda: self.keyed("name", ["i", "j"], {"image": self.word}),
                "tolerations": lambda: [{"key": key} for key in self.some("abc")],
                "imagePullSecrets": lambda: self.keyed("name", ["s", "t"], {}),
                "hostAliases": lambda: self.keyed("ip", ["1.1.1.1", "2.2.2.2"], {"hostnames": lambda: self.some("ab")}),
                "nodeSelector": lambda: self.map_of(self.word),
                "restartPolicy": self.word,
            }
        )

    def metadata(self):
        fields = {
            "labels": lambda: self.map_of(self.word),
            "annotations": lambda: self.map_of(self.word),
            "finalizers": lambda: self.some(["f/a", "f/b", "f/c", "f/d"]),
        }
        return {"name": "shop", "namespace": "default", **self.maybe(fields)}

    def resource(self, group, kind):
        fields = {
            "ConfigMap": lambda: self.maybe({"data": lambda: self.map_of(self.word)}),
            "ServiceAccount": lambda: {
                "secrets": self.keyed("name", ["s", "t"], {}),
                "imagePullSecrets": [{"name": name} for name in self.some("uv")],
            },
            "Service": lambda: {
                "spec": self.maybe(
                    {
                        "ports": lambda: self.keyed("port", [80, 81, 82], {"name": self.word, "targetPort": self.word}),
                        "selector": lambda: self.map_of(self.word),
                        "type": self.word,
                        "externalIPs": lambda: self.some("ab"),
                    }
                )
            },
            "Pod": lambda: {"spec": self.pod()},
            "Deployment": self.workload,
            "StatefulSet": self.workload,
            "Ingress": lambda: {
                "spec": self.maybe(
                    {
                        "rules": lambda: [{"host": host} for host in self.some("abc")],
                        "tls": lambda: [{"hosts": self.some("ab")}],
                        "ingressClassName": self.word,
                    }
                )
            },
            "Shop": lambda: {
                "spec": self.maybe(
                    {
                        "tags": lambda: self.some("abc"),
                        "routes": lambda: self.keyed("name", ["a", "b"], {"weight": self.word}),
                        "owner": lambda: self.map_of(self.word),
                    }
                )
            },
        }
        return {"apiVersion": group, "kind": kind, "metadata": self.metadata(), **fields[kind]()}

    def workload(self):
        spec = {
            "replicas": lambda: self.random.randrange(4),
            "paused": lambda: self.random.random() < 0.5,
            "minReadySeconds": lambda: self.random.choice([0.5, 1, 10]),
        }
        return {"spec": {**self.maybe(spec), "template": {"metadata": {"labels": self.map_of(self.word)}, "spec": self.pod()}}}


def with_nulls(maker, value):
    """Some fields of a configuration are null: they say that there is nothing. No annotation is: kubectl loses all of them then."""
    if isinstance(value, dict):
        out = {}
        for name, inner in value.items():
            keep = name in ("apiVersion", "kind", "metadata", "name", "spec", "template", "containerPort", "port", "mountPath", "ip")
            if name == "annotations":
                out[name] = inner
            else:
                out[name] = None if not keep and maker.random.random() < 0.04 else with_nulls(maker, inner)
        return out
    return value


def annotated(live, last):
    live = copy.deepcopy(live)
    annotations = live["metadata"].setdefault("annotations", {})
    annotations[LAST_APPLIED] = json.dumps(last, sort_keys=True, separators=(",", ":")) + "\n"
    return live


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:6])}: {done.stderr.strip()[:600]}")
    return done.stdout


def by_kubectl(server, config, live, folder, cache):
    path = path_of(live)
    server.lives[path] = live
    server.patches.pop(path, None)
    with open(f"{folder}/config.json", "w", encoding="utf-8") as file:
        json.dump(config, file)
    url = f"http://127.0.0.1:{server.server_port}"
    base = ["kubectl", "--server", url, "--cache-dir", cache]
    run(base + ["apply", "--validate=false", "--openapi-patch=false", "-f", f"{folder}/config.json"])
    kind, patch = server.patches.get(path, (None, None))
    if patch is None:
        return live
    form = "strategic" if "strategic" in kind else "merge"
    with open(f"{folder}/live.json", "w", encoding="utf-8") as file:
        json.dump(live, file)
    return json.loads(run(base + ["patch", "--local", "-f", f"{folder}/live.json", "--type", form, "-p", patch, "-o", "json"]))


def by_merge3(binary, config, live, folder, maker):
    for name, resource in (("config", config), ("live", live)):
        with open(f"{folder}/{name}.yaml", "w", encoding="utf-8") as file:
            file.write("# YAML\n" + maker.spelled(json.dumps(resource, indent=2, ensure_ascii=False)))
    run([binary, "apply", "--config", f"{folder}/config.yaml", "--live", f"{folder}/live.yaml", "-q"])
    return json.loads(run(["kubectl", "patch", "--local", "-f", f"{folder}/live.yaml", "--type", "merge", "-p", "{}", "-o", "json"]))


def created(server, binary, config, folder, cache, maker):
    """What both make of an object that is not there yet, in a namespace that the command line says."""
    del config["metadata"]["namespace"]
    shutil.rmtree(f"{folder}/live", ignore_errors=True)
    os.mkdir(f"{folder}/live")
    with open(f"{folder}/new.yaml", "w", encoding="utf-8") as file:
        file.write("# YAML\n" + maker.spelled(json.dumps(config, indent=2, ensure_ascii=False)))
    server.created.clear()
    base = ["kubectl", "--server", f"http://127.0.0.1:{server.server_port}", "--cache-dir", cache]
    run(base + ["apply", "-n", "blue", "--validate=false", "-f", f"{folder}/new.yaml"])
    run([binary, "apply", "-n", "blue", "--config", f"{folder}/new.yaml", "--live", f"{folder}/live", "-q"])
    read = ["patch", "--local", "-f", f"{folder}/live/new.yaml", "--type", "merge", "-p", "{}", "-o", "json"]
    return server.created[0], json.loads(run(["kubectl", *read]))


def as_kept(value):
    """What the server keeps: no fields that are null. In elements that are new kubectl leaves directives of its patch behind, and the
    elements that these delete."""
    if isinstance(value, dict):
        kept = {name: inner for name, inner in value.items() if inner is not None and not name.startswith("$")}
        return {name: as_kept(inner) for name, inner in kept.items()}
    if isinstance(value, list):
        deleted = [inner for inner in value if isinstance(inner, dict) and inner.get("$patch") == "delete"]
        return [as_kept(inner) for inner in value if inner not in deleted]
    return value


def in_order(value):
    """Lists without their order: where kubectl lets what only the live object has keep its place, here it comes last."""
    if isinstance(value, dict):
        return {name: in_order(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return sorted((in_order(inner) for inner in value), key=lambda inner: json.dumps(inner, sort_keys=True))
    return value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if shutil.which("kubectl") is None:
        print("there is no kubectl: nothing was compared")
        return 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.lives, server.patches, server.created = {}, {}, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kinds = [(group, kind) for group, kinds in GROUPS.items() for kind in kinds]
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.count):
            maker = Maker(options.seed * 1_000_000 + number)
            group, kind = kinds[number % len(kinds)]
            last, config, live = (maker.resource(group, kind) for _ in range(3))
            config = with_nulls(maker, config)
            live = annotated(live, last)
            try:
                if number % 9 == 8:
                    theirs, ours = created(server, options.bin, config, folder, f"{folder}/cache", maker)
                else:
                    theirs = by_kubectl(server, config, live, folder, f"{folder}/cache")
                    ours = by_merge3(options.bin, config, live, folder, maker)
            except RuntimeError as error:
                print(f"{number} {kind}: {error}")
                different += 1
                continue
            if in_order(as_kept(theirs)) != in_order(as_kept(ours)):
                different += 1
                print(f"{number} {kind}: not the same\n last   {json.dumps(last)}\n config {json.dumps(config)}\n live   {json.dumps(live)}")
                print(f" kubectl {json.dumps(theirs, sort_keys=True)}\n merge3  {json.dumps(ours, sort_keys=True)}")
    print(f"{options.count} applications, {different} not as kubectl has them")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
