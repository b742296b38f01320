#!/usr/bin/env python3
"""Writes kubernetes.txt, the compact table of list rules that the program embeds.

    python3 src/schema/make_table.py LISTS.json src/schema/{newer,older,scopes}.json \\
        > src/schema/kubernetes.txt

LISTS.json has data from Kubernetes' published OpenAPI: `kinds` maps APIVERSION/KIND to a type, and
`types` maps a type to its fields. A field has `type`, or `list` and `items`, and optionally
`patchStrategy`, `patchMergeKey`, `listType` and `listMapKeys`.

Each further file has the same form and adds to the data, field by field, or has `cluster_scoped`,
which maps an API group to its cluster-scoped kinds. The `about` text of each file is copied into
the head of the table.

The table omits a field if all lists at and below it are one value.
"""

import json
import sys

# The defaults of key fields: `default` in the OpenAPI of ContainerPort and ServicePort.
DEFAULTS = {"protocol": "TCP"}

# Types of which the OpenAPI lists only some fields. The schema of their other fields is unknown.
OPEN_TYPES = {"io.k8s.api.apps.v1.Kustomization"}

PREFIXES = ["io.k8s.apimachinery.pkg.apis.", "io.k8s.apiextensions-apiserver.pkg.apis.", "io.k8s.kube-aggregator.pkg.apis.", "io.k8s.api."]


def short(name):
    for prefix in PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix):]
    return name


def load(paths):
    kinds, types, about, scoped = {}, {}, [], []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        about.append(facts.get("about", path))
        scoped += [(group, kind) for group, of_group in facts.get("cluster_scoped", {}).items() for kind in of_group]
        kinds.update(facts.get("kinds", {}))
        for name, fields in facts.get("types", {}).items():
            known = types.setdefault(name, {})
            for field, more in fields.items():
                known.setdefault(field, {}).update(more)
    return kinds, types, about, scoped


def is_list_of_kinds(kind):
    return kind.endswith("List")


def has_rule(field):
    is_collection = field.get("list") or field.get("type")
    return is_collection and any(key in field for key in ("patchStrategy", "listType"))


def refers_to(field):
    return field.get("items") or field.get("type")


def types_with_rules(types):
    """Returns the types with a rule, in them or below them, that is not the default."""
    found = set()
    while True:
        more = {
            name
            for name, fields in types.items()
            if name not in found and any(adds_rule(field, found) for field in fields.values())
        }
        if not more:
            return found
        found |= more


def adds_rule(field, found):
    atomic = field.get("listType", "atomic") == "atomic" and "patchStrategy" not in field
    return (has_rule(field) and not atomic) or refers_to(field) in found


def line_of(name, field, found):
    target = refers_to(field)
    target = short(target) if target in found else ""
    parts = [name, f"[{target}]" if field.get("list") else target or "-"]
    if "listType" in field:
        parts.append(f"list={field['listType']}")
    if "listMapKeys" in field:
        keys = [f"{key}={DEFAULTS[key]}" if key in DEFAULTS else key for key in field["listMapKeys"]]
        parts.append("keys=" + ",".join(keys))
    if "patchStrategy" in field:
        parts.append(f"patch={field['patchStrategy']}")
    if "patchMergeKey" in field:
        parts.append(f"by={field['patchMergeKey']}")
    return " ".join(parts)


def reachable(kinds, types, found):
    reached, todo = set(), [kinds[kind] for kind in kinds]
    while todo:
        name = todo.pop()
        if name in reached or name not in found:
            continue
        reached.add(name)
        todo += [refers_to(field) for field in types[name].values()]
    return reached


def main():
    kinds, types, about, scoped = load(sys.argv[1:])
    kinds = {kind: name for kind, name in kinds.items() if not is_list_of_kinds(kind)}
    found = types_with_rules(types)
    print("# Made by make_table.py; not written by hand.")
    for line in about:
        print(f"# {line}")
    for kind, name in sorted(kinds.items()):
        version, _, kind = kind.rpartition("/")
        print("kind", version, kind, short(name) if name in found else "-")
    for group, kind in sorted(scoped):
        print("cluster", group or "-", kind)
    for name in sorted(reachable(kinds, types, found)):
        print("type", short(name), *(["open"] if name in OPEN_TYPES else []))
        for field, facts in sorted(types[name].items()):
            if adds_rule(facts, found):
                print("", line_of(field, facts, found))


if __name__ == "__main__":
    main()
