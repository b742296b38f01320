#!/usr/bin/env python3
"""Writes kubernetes.json, the table of list rules that the program embeds: the data of schema::types.

    python3 src/schema/make_table.py LISTS.json src/schema/{newer,older,scopes}.json \\
        > src/schema/kubernetes.json

LISTS.json has data from Kubernetes' published OpenAPI: `kinds` maps APIVERSION/KIND to a type, and
`types` maps a type to its fields. A field has `type`, or `list` and `items`, and optionally
`patchStrategy`, `patchMergeKey`, `listType` and `listMapKeys`.

Each further file has the same form and adds to the data, field by field, or has `cluster_scoped`,
which maps an API group to its cluster-scoped kinds. The `about` text of each file is copied into
the table.

The table omits a field if all lists at and below it are one value.
"""

import json
import sys

# The defaults of key fields: `default` in the OpenAPI of ContainerPort and ServicePort.
DEFAULTS = {"protocol": "TCP"}

# Types of which the OpenAPI lists only some fields. The schema of their other fields is unknown.
OPEN_TYPES = {"io.k8s.api.apps.v1.Kustomization"}

METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

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


def content_of(name, found):
    return {"content": {"fields": short(name)}} if name in found else {}


def key_of(name):
    return {"name": name, "default": {"content": DEFAULTS[name]}} if name in DEFAULTS else {"name": name}


def value_of(field, found):
    """The schema of a field. What is left out has its default: a map merges, and a list is one value."""
    strategies = field.get("patchStrategy", "").split(",")
    content = content_of(refers_to(field), found)
    value = {"content": {"elements": content}} if field.get("list") else content
    if "replace" in strategies:
        value["is_patched_whole"] = True
    if "retainKeys" in strategies:
        value["retains_keys"] = True
    if not field.get("list"):
        return value
    keys = [key_of(key) for key in field.get("listMapKeys", [])]
    rule = "atomic"
    if "merge" in strategies:
        merged = [key_of(field["patchMergeKey"])] if "patchMergeKey" in field else keys
        rule = value["patch_list"] = {"map": merged} if merged else "set"
    list_type = field.get("listType")
    rule = rule if list_type is None else {"map": keys} if list_type == "map" else list_type
    return {**value, "list": rule}


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
    named = {short(name): {"fields": {field: value_of(facts, found) for field, facts in sorted(types[name].items())
                                      if adds_rule(facts, found)}}
             for name in reachable(kinds, types, found)}
    unknown = {"other_fields": {"content": "unknown"}}
    for name in OPEN_TYPES:
        if short(name) in named:
            named[short(name)] |= unknown
    named["any"] = {"fields": {"metadata": content_of(METADATA, found)}, **unknown}
    table = {
        "about": ["Made by make_table.py; not written by hand.", *about],
        "any_resource": {"content": {"fields": "any"}},
        "kinds": {kind: content_of(name, found) for kind, name in sorted(kinds.items())},
        "cluster_scoped": sorted("/".join(names) for names in scoped),
        "types": dict(sorted(named.items())),
    }
    print("{")
    for name, part in table.items():
        end = "" if name == "types" else ","
        if name == "any_resource":
            print(f"{json.dumps(name)}: {json.dumps(part)}{end}")
            continue
        is_map = isinstance(part, dict)
        lines = [f"{json.dumps(key)}: {json.dumps(part[key])}" if is_map else json.dumps(key) for key in part]
        start, stop = "{}" if is_map else "[]"
        print(f"{json.dumps(name)}: {start}", ",\n".join(lines), f"{stop}{end}", sep="\n")
    print("}")


if __name__ == "__main__":
    main()
