#!/usr/bin/env python3
"""Applies the patches of generated kustomizations with `kubectl kustomize` and with `merge3 patch --kustomization`, and compares the
results by value.

    make kustomize

Needs kubectl, and no cluster. The overlays are the same in each run (--seed).
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from kubectl import KINDS, WITHOUT_SCHEMA, Atomic, Generator, Keyed, Map, One, Set, Writer, parser_of, read_arguments


# Where several fields identify an element, all are always given: kustomize loses elements that leave one out.
OTHER_KEYS = ("protocol", "whenUnsatisfiable")


class Overlays(Generator):
    """Random resources, and a kustomization that patches them. The directives are those that kustomize has."""

    def keys_of(self, kind, one):
        return {name: one[name] for name in (kind.key, *OTHER_KEYS) if name in kind.element.fields}

    def element(self, kind, key):
        others = {name: self.plain(below, 2) for name, below in kind.element.fields.items() if name in OTHER_KEYS}
        fields = {name: value for name, value in self.plain(kind.element, 2).items() if name != kind.key}
        return {kind.key: key, **fields, **others}

    def resource(self, kind, name, namespace):
        version, fields = KINDS[kind]
        shape = Map({"metadata": Map({"labels": Map({"app": One(["web", "db"]), "tier": One(["a", "b"])})}), **fields})
        resource = self.plain(shape)
        metadata = {"name": name, **resource.pop("metadata", {})}
        if namespace:
            metadata["namespace"] = namespace
        return {"apiVersion": version, "kind": kind, "metadata": metadata, **resource}

    def plain(self, kind, depth=0):
        """A value without what is ambiguous in YAML: kustomize quotes keys otherwise."""
        if isinstance(kind, Map):
            fields = [name for name in kind.fields if self.chance(0.5 if depth else 0.9) and name not in ("9000", "true", "1.5", "2020-01-01")]
            return {name: self.plain(kind.fields[name], depth + 1) for name in fields}
        if isinstance(kind, Keyed):
            keys = self.keys(kind, self.random.randint(1, 3))
            return [self.element(kind, key) for key in keys]
        if isinstance(kind, Set):
            return self.random.sample(kind.choices, self.random.randint(1, 3))
        if isinstance(kind, Atomic):
            return [self.plain(kind.element, depth + 1) for _ in range(self.random.randint(1, 3))]
        return self.random.choice(kind.choices)

    def change(self, kind, value):
        """A strategic merge patch of a map that is there."""
        patch = {}
        for name, below in kind.fields.items():
            wanted = 0.8 if isinstance(below, (Map, Keyed)) and name in value else 0.3
            if not self.chance(wanted) or name in ("9000", "true", "1.5", "2020-01-01"):
                continue
            if name in value and self.chance(0.15):
                patch[name] = self.directive("null") and None
            elif isinstance(below, Map) and name in value:
                if value[name] and self.chance(0.05):
                    patch[name] = {self.directive("$patch: replace") and "$patch": "replace", **self.plain(below, 1)}
                else:
                    patch[name] = self.change(below, value[name])
            elif isinstance(below, Keyed) and name in value:
                patch[name] = self.elements_of(below, value[name])
            else:
                patch[name] = self.plain(below, 1)
        return {name: below for name, below in patch.items() if below not in ({}, [])}

    def elements_of(self, kind, value):
        elements, inner = [], Map({
            name: below for name, below in kind.element.fields.items() if name not in (kind.key, *OTHER_KEYS)})
        for one in value:
            if self.chance(0.4):
                elements.append({**self.keys_of(kind, one), **self.change(inner, one)})
            elif self.chance(0.2):
                elements.append({**self.keys_of(kind, one), self.directive("- $patch: delete") and "$patch": "delete"})
        held = [one[kind.key] for one in value]
        for key in self.keys(kind, 1):
            if key not in held:
                elements.append(self.element(kind, key))
        return elements

    def operations(self, resource):
        """A JSON patch of a resource."""
        operations = []
        for name, value in resource["metadata"].get("labels", {}).items():
            operations.append({"op": self.random.choice(["replace", "test"]), "path": f"/metadata/labels/{name}", "value": value})
        for name in list(resource.get("spec", {}))[:2]:
            if self.chance(0.5):
                operations.append({"op": "remove", "path": f"/spec/{name}"})
        if "spec" in resource and self.chance(0.5):
            operations.append({"op": "add", "path": "/spec/extra", "value": [1, {"a": "b"}]})
        return operations or [{"op": "add", "path": "/metadata/annotations", "value": {"x": "y"}}]

    def overlay(self, kinds):
        resources = [self.resource(kind, f"it-{number}", self.random.choice(["", "", "blue"])) for number, kind in enumerate(kinds)]
        kustomization, files = collections.defaultdict(list), {}
        for number, resource in enumerate(resources):
            kind, metadata = resource["kind"], resource["metadata"]
            name = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
            head = {"apiVersion": resource["apiVersion"], "kind": kind, "metadata": name}
            fields = Map(KINDS[kinds[number]][1])
            body = self.change(fields, resource)
            way = self.random.choice(["file", "words", "target", "labels", "json", "json6902", "delete", "merge"])
            self.directives[way] += 1
            patch = {**head, **body}
            target = {"kind": kind, "name": metadata["name"]}
            if way == "file":
                files[f"p{number}.yaml"] = patch
                kustomization["patches"].append({"path": f"p{number}.yaml"})
            elif way == "words":
                kustomization["patches"].append({"patch": json.dumps(patch)})
            elif way == "merge":
                files[f"p{number}.yaml"] = patch
                kustomization["patchesStrategicMerge"].append(self.random.choice([f"p{number}.yaml", json.dumps(patch) + "\n"]))
            elif way == "target":
                kustomization["patches"].append({"target": {**target, "name": "it-[" + str(number) + "]"}, "patch": json.dumps(
                    {**head, "metadata": {"name": "other"}, **body})})
            elif way == "labels":
                change = {"metadata": {"annotations": {"x": self.random.choice("abc"), "y": "z"}}}
                kustomization["patches"].append({"target": {"labelSelector": self.random.choice(
                    ["app=web", "app!=web", "tier in (a, b)", "!app"])}, "patch": json.dumps(
                        {"apiVersion": "v1", "kind": "Any", **change, "metadata": {"name": "any", **change["metadata"]}})})
            elif way == "json":
                kustomization["patches"].append({"target": target, "patch": json.dumps(self.operations(resource))})
            elif way == "json6902":
                group, _, version = resource["apiVersion"].rpartition("/")
                files[f"p{number}.json"] = self.operations(resource)
                where = {"group": group, "version": version, **target, **name}
                kustomization["patchesJson6902"].append({"target": where, "path": f"p{number}.json"})
            else:
                kustomization["patches"].append({"patch": json.dumps({**head, "$patch": "delete"})})
        return resources, dict(kustomization), files


def by_name(text):
    """The resources that kubectl prints, by kind and name."""
    decoder, at, found = json.JSONDecoder(), 0, {}
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        for one in value["items"] if value["kind"] == "List" else [value]:
            found[one["kind"], one["metadata"]["name"], one["metadata"].get("namespace")] = one
    return found


def as_json(yaml):
    if not yaml.strip():
        return {}
    command = ["kubectl", "patch", "--local", "--type", "merge", "-p", "{}", "-o", "json", "-f", "-"]
    done = subprocess.run(command, input=yaml, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return by_name(done.stdout)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--overlays", type=int, default=100)
    arguments, binary = read_arguments(parser)
    generator = Overlays(arguments.seed)
    kinds = [kind for kind in KINDS if kind not in WITHOUT_SCHEMA and " " not in kind]
    same, problems = 0, []
    for number in range(arguments.overlays):
        resources, kustomization, files = generator.overlay(generator.random.sample(kinds, 4))
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "base").mkdir()
            (folder / "overlay").mkdir()
            text = "---\n".join(Writer(number * 10 + index).document(one) for index, one in enumerate(resources))
            (folder / "base/all.yaml").write_text(text)
            (folder / "base/kustomization.yaml").write_text("resources: [all.yaml]\n")
            for name, patch in files.items():
                (folder / "overlay" / name).write_text(json.dumps(patch))
            (folder / "overlay/kustomization.yaml").write_text(json.dumps({"resources": ["../base"], **kustomization}))
            theirs = subprocess.run(["kubectl", "kustomize", str(folder / "overlay")], capture_output=True, text=True)
            command = [binary, "patch", "-q", "--kustomization", str(folder / "overlay"), str(folder / "base")]
            ours = subprocess.run(command, capture_output=True, text=True)
            if theirs.returncode or ours.returncode:
                problems.append(f"{number}: kustomize: {theirs.stderr.strip() or 'applied'}\n  merge3: {ours.stderr.strip() or 'applied'}\n  {json.dumps(kustomization)}")
                continue
            path = folder / "base/all.yaml"
            wanted, found = as_json(theirs.stdout), as_json(path.read_text() if path.exists() else "")
            if wanted == found:
                same += 1
                continue
            for key in sorted(set(wanted) | set(found), key=str):
                if wanted.get(key) != found.get(key):
                    problems.append(f"{number} {key}:\n  patches   {json.dumps(kustomization)} {json.dumps(files)}\n"
                                    f"  kustomize {json.dumps(wanted.get(key), sort_keys=True)}\n  merge3    {json.dumps(found.get(key), sort_keys=True)}")
    print(f"{'ok  ' if same == arguments.overlays else 'FAIL'}  {same} of {arguments.overlays} overlays have the values that kustomize gives them")
    print("      " + ", ".join(f"{name} {count}" for name, count in sorted(generator.directives.items())))
    for problem in problems[:10]:
        print("  " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
