#!/usr/bin/env python3
"""Applies generated patches with `kubectl patch --local` and with `merge3 patch`, and compares the results by value.

    make kubectl

Needs kubectl, and no cluster. The pairs of resource and patch are the same in each run (--seed); what kubectl does otherwise on
purpose is in KNOWN, is checked too, and is explained in docs/patches.md.
"""
import argparse
import collections
import concurrent.futures
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

# What a value is, as far as its patches go. Written by hand from Kubernetes' documentation: it shares nothing with the
# program's own table.
Map = collections.namedtuple("Map", "fields")
Keyed = collections.namedtuple("Keyed", "key element")
Set = collections.namedtuple("Set", "choices")
Atomic = collections.namedtuple("Atomic", "element")
One = collections.namedtuple("One", "choices")

WORDS = One(["a", "b", "c", "80", "true", "x: y", "# no", "say \"so\"", "it's"])
NAMES = ["app", "log", "web", "db"]
NUMBERS = One([1, 2, 3, 80, 8080])
LABELS = Map({"app": WORDS, "tier": WORDS, "example.com/x": WORDS, "9000": WORDS, "true": WORDS, "1.5": WORDS, "2020-01-01": WORDS})
# How a key can be written in YAML that is no word: for Kubernetes it is one key, whichever of these it is.
SPELLINGS = {"9000": ["9000", "0x2328", '"9000"'], "true": ["true", "y", "Yes", "on", "'true'"], "1.5": ["1.5", "1.50", '"1.5"'],
             "2020-01-01": ["2020-01-01", "'2020-01-01'"]}
METADATA = Map({
    "labels": LABELS, "annotations": LABELS, "finalizers": Set(["x/a", "x/b", "x/c", "x/d"]),
    "ownerReferences": Keyed("uid", Map({"uid": One(["u1", "u2", "u3"]), "kind": WORDS, "name": WORDS})),
})
ENV = Keyed("name", Map({
    "name": One(["A", "B", "C", "D"]), "value": WORDS,
    "valueFrom": Map({"secretKeyRef": Map({"name": WORDS, "key": WORDS})}),
}))
CONTAINER = Map({
    "name": One(NAMES), "image": WORDS, "args": Atomic(WORDS), "command": Atomic(WORDS), "env": ENV,
    "envFrom": Atomic(Map({"prefix": WORDS, "configMapRef": Map({"name": WORDS})})),
    "ports": Keyed("containerPort", Map({
        "containerPort": NUMBERS, "protocol": One(["TCP", "UDP"]), "name": WORDS})),
    "volumeMounts": Keyed("mountPath", Map({"mountPath": One(["/a", "/b", "/c"]), "name": WORDS, "readOnly": One([True, False])})),
    "resources": Map({"limits": Map({"cpu": WORDS, "memory": WORDS}), "requests": Map({"cpu": WORDS})}),
})
POD = Map({
    "containers": Keyed("name", CONTAINER), "initContainers": Keyed("name", CONTAINER),
    "volumes": Keyed("name", Map({
        "name": One(NAMES), "configMap": Map({"name": WORDS, "items": Atomic(Map({"key": WORDS, "path": WORDS}))}),
        "emptyDir": Map({"medium": WORDS}), "secret": Map({"secretName": WORDS})})),
    "tolerations": Atomic(Map({"key": WORDS, "operator": WORDS})),
    "imagePullSecrets": Keyed("name", Map({"name": One(NAMES)})),
    "hostAliases": Keyed("ip", Map({"ip": One(["::1", "127.0.0.1"]), "hostnames": Atomic(WORDS)})),
    "topologySpreadConstraints": Keyed("topologyKey", Map({"topologyKey": WORDS, "maxSkew": NUMBERS, "whenUnsatisfiable": WORDS})),
    "nodeSelector": LABELS, "priority": NUMBERS, "serviceAccountName": WORDS,
    "securityContext": Map({"runAsUser": NUMBERS, "runAsNonRoot": One([True, False])}),
})
TEMPLATE = Map({"metadata": Map({"labels": LABELS}), "spec": POD})
SELECTOR = Map({"matchLabels": LABELS})
KINDS = {
    "Deployment": ("apps/v1", {"spec": Map({
        "replicas": NUMBERS, "paused": One([True, False]), "selector": SELECTOR, "template": TEMPLATE,
        "strategy": Map({"type": WORDS, "rollingUpdate": Map({"maxSurge": NUMBERS, "maxUnavailable": WORDS})})})}),
    "StatefulSet": ("apps/v1", {"spec": Map({
        "replicas": NUMBERS, "serviceName": WORDS, "selector": SELECTOR, "template": TEMPLATE,
        "volumeClaimTemplates": Atomic(Map({"metadata": Map({"name": WORDS}), "spec": Map({"storageClassName": WORDS})}))})}),
    "Service": ("v1", {"spec": Map({
        "type": WORDS, "selector": LABELS, "externalIPs": Atomic(WORDS),
        "ports": Keyed("port", Map({"port": NUMBERS, "protocol": One(["TCP", "UDP"]), "name": WORDS, "targetPort": NUMBERS}))})}),
    "Pod": ("v1", {"spec": POD}),
    "ServiceAccount": ("v1", {
        "secrets": Keyed("name", Map({"name": One(NAMES), "namespace": WORDS})),
        "imagePullSecrets": Atomic(Map({"name": One(NAMES)})), "automountServiceAccountToken": One([True, False])}),
    "Ingress": ("networking.k8s.io/v1", {"spec": Map({
        "ingressClassName": WORDS, "tls": Atomic(Map({"hosts": Atomic(WORDS), "secretName": WORDS})),
        "rules": Atomic(Map({"host": WORDS, "http": Map({"paths": Atomic(Map({"path": WORDS}))})}))})}),
    "DaemonSet of old": ("extensions/v1beta1", {"spec": Map({"selector": SELECTOR, "template": TEMPLATE, "minReadySeconds": NUMBERS})}),
    "ConfigMap": ("v1", {"data": LABELS, "immutable": One([True, False])}),
    "Shop": ("example.com/v1", {"spec": Map({
        "size": NUMBERS, "doors": Atomic(Map({"name": One(NAMES), "width": NUMBERS})), "options": LABELS})}),
}
WITHOUT_SCHEMA = {"Shop"}


class Generator:
    """Random resources and patches."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.directives = collections.Counter()

    def chance(self, probability):
        return self.random.random() < probability

    def value(self, kind, depth=0):
        if isinstance(kind, One):
            return self.random.choice(kind.choices)
        if isinstance(kind, Map):
            fields = [name for name in kind.fields if self.chance(0.55 if depth else 0.9)]
            self.random.shuffle(fields)
            return {name: self.value(kind.fields[name], depth + 1) for name in fields}
        if isinstance(kind, Set):
            return self.random.sample(kind.choices, self.random.randint(0, 3))
        if isinstance(kind, Atomic):
            return [self.value(kind.element, depth + 1) for _ in range(self.random.randint(0, 3))]
        return self.shared(kind, self.elements(kind, self.keys(kind, self.random.randint(0, 3)), depth))

    def shared(self, kind, elements):
        """Where nothing merges, elements may share what would be their key: port 53 of UDP and of TCP."""
        if elements and kind.element.fields.keys() & {"protocol", "whenUnsatisfiable"} and self.chance(0.2):
            key = self.directive("one key twice") and elements[0][kind.key]
            elements[1:1] = self.elements(kind, [key])
        return elements

    def keys(self, kind, count):
        choices = kind.element.fields[kind.key].choices
        return self.random.sample(choices, min(count, len(choices)))

    def elements(self, kind, keys, depth=1):
        return [{kind.key: key, **{k: v for k, v in self.value(kind.element, depth + 1).items() if k != kind.key}} for key in keys]

    def directive(self, name):
        self.directives[name] += 1
        return name

    def patch(self, kind, value, strategic):
        """A patch for a value that is there."""
        if isinstance(kind, Map):
            return self.map_patch(kind, value, strategic)
        if strategic and isinstance(kind, Keyed):
            return self.keyed_patch(kind, value)
        if strategic and isinstance(kind, Set):
            return self.random.sample(kind.choices, self.random.randint(1, 2))
        return self.value(kind, 1)

    def map_patch(self, kind, value, strategic):
        if strategic and self.chance(0.03):
            return {self.directive("$patch"): "delete"}
        if strategic and self.chance(0.05):
            return {self.directive("$patch"): "replace", **self.value(kind, 1)}
        patch = {}
        for name, below in kind.fields.items():
            if not self.chance(0.4):
                continue
            if self.chance(0.15):
                patch[name] = self.directive("null") and None
            elif name not in value:
                patch[name] = self.arriving(self.value(below, 1), strategic)
            elif strategic and isinstance(below, (Set, Keyed)):
                self.list_patch(patch, name, below, value[name])
            elif not strategic and not isinstance(below, Map):
                patch[name] = self.arriving(self.patch(below, value[name], strategic), strategic)
            else:
                patch[name] = self.patch(below, value[name], strategic)
        if strategic and self.chance(0.06):
            kept = [name for name in patch if not name.startswith("$") and patch[name] is not None]
            kept += [name for name in value if name not in kept and self.chance(0.5)]
            patch[self.directive("$retainKeys")] = kept
        items = list(patch.items())
        self.random.shuffle(items)
        return dict(items)

    def arriving(self, value, strategic):
        """A value that the target does not have: its nulls are not written, in a JSON merge patch in lists neither."""
        if isinstance(value, list) and not strategic:
            return [self.arriving(below, strategic) for below in value]
        if not isinstance(value, dict):
            return value
        value = {name: self.arriving(below, strategic) for name, below in value.items()}
        if self.chance(0.1):
            value["extra"] = self.directive("null") and None
        return value

    def list_patch(self, patch, name, kind, value):
        """A list that is there: elements, deletions, an order."""
        scalars = isinstance(kind, Set)
        adds = [] if self.chance(0.3) else self.patch(kind, value, True)
        held = list(value)
        if scalars:
            gone = [one for one in held if one not in adds and self.chance(0.3)]
            if gone:
                patch[self.directive("$deleteFromPrimitiveList") + "/" + name] = gone
        if adds:
            patch[name] = adds
        directed = not scalars and any("$patch" in one for one in adds)
        if self.chance(0.35) and not any(one.get("$patch") == "replace" for one in adds if not scalars):
            key = (lambda one: one) if scalars else (lambda one: one[kind.key])
            adding = [key(one) for one in adds if scalars or "$patch" not in one]
            others = [key(one) for one in held if key(one) not in adding and self.chance(0.7)]
            others = [one for index, one in enumerate(others) if one not in others[:index]]
            order = adding[:]
            for one in others:
                order.insert(self.random.randint(0, len(order)), one)
            if order and (adds or held) and not (directed and self.chance(0.3)):
                order = order if scalars else [{kind.key: one} for one in order]
                patch[self.directive("$setElementOrder") + "/" + name] = order

    def keyed_patch(self, kind, value):
        held = [one[kind.key] for one in value]
        if self.chance(0.08):
            self.directive("- $patch: replace")
            elements = self.shared(kind, self.elements(kind, self.keys(kind, 2)))
            elements.insert(self.random.randint(0, len(elements)), {"$patch": "replace"})
            return elements
        elements = []
        for one in value:
            if [one[kind.key] for one in elements].count(one[kind.key]):
                continue
            if self.chance(0.45):
                inner = self.map_patch(Map({k: v for k, v in kind.element.fields.items() if k != kind.key}), one, True)
                if "$patch" in inner:
                    continue
                if "$retainKeys" in inner:
                    inner["$retainKeys"].append(kind.key)
                elements.append({kind.key: one[kind.key], **inner})
            elif self.chance(0.35):
                self.directive("- $patch: delete")
                elements.append({"$patch": "delete", kind.key: one[kind.key]})
        new = [key for key in self.keys(kind, 2) if key not in held]
        elements += self.elements(kind, new)
        self.random.shuffle(elements)
        return elements

    def pair(self, kind):
        version, fields = KINDS[kind]
        shape = Map({"metadata": METADATA, **fields})
        resource = self.value(shape)
        metadata = {"name": "it", **resource.pop("metadata", {})}
        resource = {"apiVersion": version, "kind": kind.split()[0], "metadata": metadata, **resource}
        for container in resource.get("spec", {}).get("containers", []) if kind == "Pod" else []:
            if len(container.get("ports", [])) > 1 and self.chance(0.3):
                first = container["ports"][0]
                container["ports"].append({**first, "protocol": "SCTP"})
        strategic = kind not in WITHOUT_SCHEMA
        patch = {}
        for name, below in shape.fields.items():
            if not self.chance(0.75):
                continue
            if name not in resource:
                patch[name] = self.arriving(self.value(below, 1), strategic)
            elif strategic and isinstance(below, (Set, Keyed)):
                self.list_patch(patch, name, below, resource[name])
            else:
                patch[name] = self.patch(below, resource[name], strategic)
        inner = patch.get("metadata", {})
        if "$patch" in inner:
            patch["metadata"] = inner = {}
        if "$retainKeys" in inner:
            inner["$retainKeys"].append("name")
        patch = {"apiVersion": version, "kind": kind.split()[0], **patch, "metadata": {"name": "it", **inner}}
        return resource, patch


class Writer:
    """A value as YAML, with comments, in one of some styles."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.width = self.random.choice([2, 2, 4])
        self.indented = self.random.choice([0, self.width])
        self.flow = self.random.choice([0, 0.1, 0.3])
        self.comments = self.random.choice([0, 0.2])
        self.lines = []

    def scalar(self, value):
        if isinstance(value, str):
            plain = value.isalpha() and value not in ("true", "null")
            return value if plain and self.random.random() < 0.7 else json.dumps(value)
        return json.dumps(value)

    def document(self, value):
        self.fields(value, 0)
        return "\n".join(self.lines) + "\n"

    def fields(self, value, column, first=""):
        for name, below in value.items():
            lead = first or " " * column
            first = ""
            if lead.strip() == "" and self.random.random() < self.comments / 2:
                self.lines.append(" " * column + "# about " + name)
            key = name if name.isalnum() else json.dumps(name)
            key = self.random.choice(SPELLINGS.get(name, [key]))
            self.entry(lead + key + ":", below, column)

    def entry(self, lead, value, column):
        note = "  # note" if self.random.random() < self.comments else ""
        if isinstance(value, dict) and value and self.random.random() >= self.flow:
            self.lines.append(lead + note)
            self.fields(value, column + self.width)
        elif isinstance(value, list) and value and self.random.random() >= self.flow:
            self.lines.append(lead + note)
            for element in value:
                dash = " " * (column + self.indented) + "-"
                if isinstance(element, dict) and element:
                    inside = column + self.indented + 2
                    self.fields(element, inside, dash + " ")
                else:
                    self.lines.append(dash + " " + json.dumps(element) + note)
        else:
            text = json.dumps(value) if isinstance(value, (dict, list)) else self.scalar(value)
            self.lines.append(lead + " " + text + note)


def kubectl(target, patch, form):
    """The patched resource, or what kubectl says against it."""
    command = ["kubectl", "patch", "--local", "--type", form, "-o", "json", "-f", str(target), "-p", json.dumps(patch)]
    done = subprocess.run(command, capture_output=True, text=True)
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr.strip())


def merge3(binary, target, patch, *arguments):
    """What merge3 says against the patch; nothing where it applied it to the file."""
    done = subprocess.run([binary, "patch", "-q", "--patch", str(patch), str(target), *arguments], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit status {done.returncode}"


def read_all(paths):
    """The values of YAML files, one resource each, read by kubectl."""
    values = {}
    for start in range(0, len(paths), 200):
        some = paths[start:start + 200]
        command = ["kubectl", "patch", "--local", "--type", "merge", "-p", "{}", "-o", "json"]
        for path in some:
            command += ["-f", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        decoder, text, at = json.JSONDecoder(), done.stdout, 0
        for path in some:
            while text[at].isspace():
                at += 1
            values[path], at = decoder.raw_decode(text, at)
    return values


# What differs on purpose: name, resource, patch, kubectl's result or what its error says, merge3's; see docs/patches.md.
def _pod(**spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "it"}, "spec": spec}


KNOWN = [
    ("merge", _pod(priority=1), {"spec": {"$patch": "merge", "priority": 2}}, "unknown patch type", _pod(priority=2)),
    ("unknown-directive", _pod(priority=1), {"spec": {"$replace": "x"}}, _pod(priority=1, **{"$replace": "x"}), "there is no directive"),
    ("replace-in-a-new-map", _pod(), {"spec": {"securityContext": {"$patch": "replace", "runAsUser": 1}}},
     _pod(), _pod(securityContext={"runAsUser": 1})),
    ("retain-keys-in-a-new-map", _pod(), {"spec": {"securityContext": {"$retainKeys": ["runAsUser"], "runAsUser": 1}}},
     _pod(securityContext={"$retainKeys": ["runAsUser"], "runAsUser": 1}), _pod(securityContext={"runAsUser": 1})),
    ("null-in-a-new-element", _pod(containers=[]), {"spec": {"containers": [{"name": "a", "image": None}]}},
     _pod(containers=[{"name": "a", "image": None}]), _pod(containers=[{"name": "a"}])),
    ("null-in-a-replaced-map", _pod(securityContext={"runAsUser": 1}), {"spec": {"securityContext": {"$patch": "replace", "runAsGroup": None}}},
     _pod(securityContext={"runAsGroup": None}), _pod(securityContext={})),
    ("null-in-a-replaced-list", _pod(tolerations=[{"key": "a"}]), {"spec": {"tolerations": [{"key": "b", "value": None}]}},
     _pod(tolerations=[{"key": "b", "value": None}]), _pod(tolerations=[{"key": "b"}])),
    ("directive-in-a-list-that-is-one-value", _pod(tolerations=[]), {"spec": {"tolerations": [{"key": "b", "$retainKeys": ["key"]}]}},
     _pod(tolerations=[{"key": "b", "$retainKeys": ["key"]}]), _pod(tolerations=[{"key": "b"}])),
    ("deletion-in-a-list-that-is-one-value", _pod(tolerations=[]), {"spec": {"tolerations": [{"key": "b", "$patch": "delete"}]}},
     _pod(tolerations=[{"key": "b", "$patch": "delete"}]), "no key identifies the elements of this list"),
    ("directive-in-a-replaced-list", _pod(containers=[{"name": "a"}]),
     {"spec": {"containers": [{"$patch": "replace"}, {"name": "b", "ports": [{"containerPort": 1, "$patch": "delete"}]}]}},
     _pod(containers=[{"name": "b", "ports": [{"containerPort": 1, "$patch": "delete"}]}]), _pod(containers=[{"name": "b", "ports": []}])),
    ("replace-in-a-list-that-is-one-value", _pod(tolerations=[{"key": "a"}]), {"spec": {"tolerations": [{"$patch": "replace"}, {"key": "b"}]}},
     _pod(tolerations=[{"$patch": "replace"}, {"key": "b"}]), _pod(tolerations=[{"key": "b"}])),
    ("one-key-apart-in-a-replaced-list", _pod(containers=[{"name": "x"}]), {"spec": {"containers": [
        {"$patch": "replace"}, {"name": "a", "image": "1"}, {"name": "b"}, {"name": "a", "image": "2"}]}},
     _pod(containers=[{"name": "a", "image": "1"}, {"name": "a", "image": "2"}, {"name": "b"}]),
     _pod(containers=[{"name": "a", "image": "1"}, {"name": "b"}, {"name": "a", "image": "2"}])),
    ("fields-beside-replace", _pod(containers=[{"name": "a"}]), {"spec": {"containers": [{"name": "b", "$patch": "replace"}]}},
     _pod(containers=[]), "this element's fields are lost"),
    ("fields-beside-delete", _pod(securityContext={"runAsUser": 1}), {"spec": {"securityContext": {"$patch": "delete", "runAsUser": 2}}},
     _pod(securityContext={}), "`$patch: delete` deletes"),
    ("contradiction", _pod(priority=1), {"spec": {"$patch": "replace", "$retainKeys": ["priority"], "priority": 2}},
     _pod(priority=2, **{"$retainKeys": ["priority"]}), "exclude each other"),
    ("one-key-twice", _pod(containers=[{"name": "a"}]), {"spec": {"containers": [{"name": "b"}, {"name": "b", "image": "x"}]}},
     _pod(containers=[{"name": "b", "image": "x"}, {"name": "a"}]), "in this list already"),
]


def known_differences(binary, folder):
    """What of KNOWN is not so."""
    problems, written = [], []
    for name, resource, patch, theirs, ours in KNOWN:
        target, patch_file = folder / f"known-{name}.yaml", folder / f"known-{name}.patch"
        target.write_text(json.dumps(resource))
        found, error = kubectl(target, patch, "strategic")
        if (theirs not in error) if isinstance(theirs, str) else found != theirs:
            problems.append(f"{name}: kubectl: {json.dumps(found) if found else error}")
        patch_file.write_text(json.dumps({"kind": "Pod", **patch, "metadata": {"name": "it"}}))
        error = merge3(binary, target, patch_file)
        if (ours not in error) if isinstance(ours, str) else error:
            problems.append(f"{name}: merge3: {error}")
        elif not isinstance(ours, str):
            written.append((name, target, ours))
    values = read_all([target for _, target, _ in written])
    problems += [f"{name}: merge3: {json.dumps(values[target])}" for name, target, ours in written if values[target] != ours]
    return problems


# What the program knows of lists.
TABLE = pathlib.Path(__file__).parent.parent / "src/schema/kubernetes.json"

# Kinds of the table that kubectl has no types of.
NOT_BUILT_IN = {"CustomResourceDefinition", "APIService", "Kustomization", "PodSecurityPolicy"}


def read_table(path):
    """The kinds and types of the program's table: type to fields, each with its type or `[TYPE]` and what is said of it."""
    def name_of(value):
        content = value.get("content", {})
        return content.get("fields", "") if isinstance(content, dict) else ""

    def field_of(value):
        content = value.get("content", {})
        if "elements" not in content:
            return name_of(value) or "-", {}
        rule = value.get("patch_list", "atomic")
        said = {} if rule == "atomic" else {"patch": "merge"}
        return f"[{name_of(content['elements'])}]", {**said, "by": rule["map"][0]["name"]} if "map" in rule else said

    table = json.loads(path.read_text())
    kinds = [(*kind.rsplit("/", 1), name_of(value) or "-") for kind, value in table["kinds"].items()]
    types = {name: {field: field_of(value) for field, value in fields["fields"].items()} for name, fields in table["types"].items()}
    return kinds, types


def lists_of(types, name, path=(), above=()):
    """Each list of a type: where it is, and the field that identifies its elements for a patch."""
    for field, (shape, said) in types.get(name, {}).items():
        below = shape.strip("[]")
        is_list = shape.startswith("[")
        key = said.get("by") if "merge" in said.get("patch", "").split(",") else None
        if is_list:
            yield (*path, (field, None)), name, field, "merge" in said.get("patch", ""), key
        if below not in above and (key or not is_list):
            yield from lists_of(types, below, (*path, (field, key)), (*above, below))


def merges_in_kubectl(version, kind, path):
    """Whether kubectl merges the list there, and by which key."""
    def resource(elements):
        value = elements
        for field, key in reversed(path):
            value = {field: [{key: "x", **value}] if key else value}
        return {"apiVersion": version, "kind": kind, "metadata": {"name": "it"}, **value}

    command = ["kubectl", "patch", "--local", "--type", "strategic", "-o", "json", "-f", "-", "-p"]
    done = [subprocess.run([*command, json.dumps(resource([new]))], input=json.dumps(resource([old])), capture_output=True, text=True)
            for old, new in [({"zz": "1"}, {"zz": "2"}), ("a", "b")]]
    if "declared merge key: " in done[0].stderr:
        return True, done[0].stderr.split("declared merge key: ")[1].split()[0]
    value = json.loads(done[1].stdout) if done[1].returncode == 0 else {}
    for field, key in path:
        value = value.get(field, {})
        value = value[0] if key else value
    return len(value) == 2, None


def table_differences(path):
    """Lists that the table has otherwise than kubectl, and how many were compared."""
    kinds, types = read_table(path)
    seen, probes = set(), []
    for version, kind, name in kinds:
        for place, *where, merges, key in lists_of(types, name):
            if kind not in NOT_BUILT_IN and tuple(where) not in seen:
                seen.add(tuple(where))
                probes.append((version, kind, place, (merges, key)))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda probe: merges_in_kubectl(*probe[:3]), probes))
    return [f"{version} {kind} {place}: kubectl {theirs}, the table {ours}"
            for (version, kind, place, ours), theirs in zip(probes, found) if theirs != ours], len(probes)


def parser_of(what):
    """What reads the arguments of a comparison with kubectl, of which `what` tells."""
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    parser.add_argument("--bin", required=True, help="the merge3 to test")
    parser.add_argument("--seed", type=int, default=8)
    return parser


def read_arguments(parser):
    """The arguments, and the merge3 to test. Ends where there is no kubectl."""
    arguments = parser.parse_args()
    if not shutil.which("kubectl"):
        sys.exit("there is no kubectl: nothing was compared. Install it (https://kubernetes.io/docs/tasks/tools) and run this again.")
    return arguments, str(pathlib.Path(arguments.bin).resolve())


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--keep", help="keep the files there")
    arguments, binary = read_arguments(parser)
    generator = Generator(arguments.seed)
    pairs = [(kind, *generator.pair(kind)) for kind, _ in zip(cycle(list(KINDS)), range(arguments.pairs))]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        folder.mkdir(exist_ok=True)
        problems, compared = table_differences(TABLE)
        print(f"{'FAIL' if problems else 'ok  '}  {compared} lists of built-in kinds are in the table as kubectl has them")
        problems += known_differences(binary, folder)
        print(f"{'FAIL' if problems else 'ok  '}  {len(KNOWN)} differences on purpose are as docs/patches.md has them")

        def one(index):
            kind, resource, patch = pairs[index]
            target, patch_file = folder / f"{index}.yaml", folder / f"{index}.patch"
            target.write_text(Writer(index).document(resource))
            patch_file.write_text(Writer(-index).document(patch))
            form = "merge" if kind in WITHOUT_SCHEMA else "strategic"
            theirs, error = kubectl(target, copy.deepcopy(patch), form)
            shutil.copy(target, folder / f"{index}.before")
            return target, patch_file, theirs, error, merge3(binary, target, patch_file)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(one, range(len(pairs))))
        values = read_all([target for target, *_ in results])
        agreed = collections.Counter()
        refused = 0
        for (kind, _, patch), (target, _, theirs, error, ours) in zip(pairs, results):
            if error and ours:
                refused += 1
            elif error or ours:
                problems.append(f"{target.name} {kind}: kubectl: {error or 'applied'}; merge3: {ours or 'applied'}")
            elif values[target] != theirs:
                problems.append(f"{target.name} {kind}:\n  patch   {json.dumps(patch)}\n  kubectl {json.dumps(theirs)}\n  merge3  {json.dumps(values[target])}")
            else:
                agreed[kind] += 1
        total = sum(agreed.values())
        print(f"{'ok  ' if total + refused == len(pairs) else 'FAIL'}  {total} of {len(pairs)} pairs agree by value, {refused} are refused by both")
        print("      " + ", ".join(f"{kind} {count}" for kind, count in agreed.items()))
        print("      directives: " + ", ".join(f"{name} {count}" for name, count in sorted(generator.directives.items())))
    for problem in problems[:10]:
        print("  " + problem)
    return 1 if problems or refused > arguments.pairs // 100 else 0


def cycle(items):
    while True:
        yield from items


if __name__ == "__main__":
    sys.exit(main())
