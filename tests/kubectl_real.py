#!/usr/bin/env python3
"""Applies random patches to real files with `kubectl patch --local` and with `merge3 patch`, and compares the results by value.

    make kubectl-real REAL=FOLDER

Needs kubectl, and no cluster. The patches are the same in each run (--seed). A file is patched as it is, with all of its documents: what
the patch is not about has to stay. Kinds that kubectl has no types of take a JSON merge patch.
"""
import concurrent.futures
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from kubectl import parser_of, read_arguments, read_table, NOT_BUILT_IN, TABLE

WORDS = ["x", "80", "true", "a: b", "# no", "it's", ""]


def documents(path):
    """The resources of a file, read by kubectl; none where it cannot read them all."""
    command = ["kubectl", "patch", "--local", "--type", "merge", "-p", "{}", "-o", "json", "-f", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return []
    decoder, at, found = json.JSONDecoder(), 0, []
    while done.stdout[at:].strip():
        at += len(done.stdout[at:]) - len(done.stdout[at:].lstrip())
        value, at = decoder.raw_decode(done.stdout, at)
        found.append(value)
    return found


class Patches:
    """Random patches of a value of which only the table of lists is known."""

    def __init__(self, seed, types):
        self.random = random.Random(seed)
        self.types = types

    def scalar(self, value):
        if isinstance(value, bool):
            return not value
        if isinstance(value, (int, float)):
            return value + 1
        return self.random.choice(WORDS)

    def patch(self, value, name, strategic):
        """A patch of a map of this type."""
        fields, patch = self.types.get(name, {}), {}
        for field, below in value.items():
            if self.random.random() > 0.35 or field.startswith("$") or field == "creationTimestamp":
                continue
            shape, said = fields.get(field, ("-", {}))
            chance = self.random.random()
            if chance < 0.1:
                patch[field] = None
            elif isinstance(below, dict):
                patch[field] = self.patch(below, shape, strategic)
            elif isinstance(below, list):
                self.list_patch(patch, field, below, shape.strip("[]"), said if strategic else {}, strategic)
            else:
                patch[field] = self.scalar(below)
        if self.random.random() < 0.1:
            patch[self.random.choice(["app", "x.y/z", "9000", "true"])] = self.random.choice(WORDS)
        return patch

    def list_patch(self, patch, field, value, name, said, strategic):
        strategies, key = said.get("patch", "").split(","), said.get("by")
        if "merge" in strategies and key and value and all(isinstance(one, dict) and key in one for one in value):
            elements, keys = [], [one[key] for one in value]
            for one in value:
                if self.random.random() < 0.3 or keys.count(one[key]) > 1:
                    continue
                if self.random.random() < 0.2:
                    elements.append({key: one[key], "$patch": "delete"})
                else:
                    inner = {field: below for field, below in one.items() if field != key}
                    inner = self.patch(inner, name, strategic)
                    elements.append({key: one[key], **inner})
            self.random.shuffle(elements)
            patch[field] = elements
        elif self.random.random() < 0.5:
            patch[field] = [one for one in value if self.random.random() < 0.7]


def named(patch, resource):
    """The patch for that resource, whose name it does not change."""
    metadata = {**patch.get("metadata", {})} if isinstance(patch.get("metadata"), dict) else {}
    for name in ("name", "namespace", "generateName"):
        metadata.pop(name, None)
        if name in resource["metadata"]:
            metadata[name] = resource["metadata"][name]
    return {**patch, "apiVersion": resource["apiVersion"], "kind": resource["kind"], "metadata": metadata}


def without_nulls(value):
    """kubectl writes nulls that stand in new elements; no API server keeps them."""
    if isinstance(value, dict):
        return {name: without_nulls(below) for name, below in value.items() if below is not None}
    return [without_nulls(below) for below in value] if isinstance(value, list) else value


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--real", required=True, help="a folder with files")
    parser.add_argument("--patches", type=int, default=1000)
    arguments, binary = read_arguments(parser)
    kinds, types = read_table(TABLE)
    types_of = {(version, kind): name for version, kind, name in kinds if kind not in NOT_BUILT_IN}
    chooser = random.Random(arguments.seed)
    files = sorted(path for end in ("yaml", "yml", "json") for path in pathlib.Path(arguments.real).rglob("*." + end)
                   if path.stat().st_size < 200_000 and b"apiVersion" in path.read_bytes())
    chooser.shuffle(files)

    def one(number, folder):
        """None where the file is of no use; else what is wrong, or nothing."""
        path = files[number % len(files)]
        before = documents(path)
        ids = [(one["kind"], one["metadata"].get("namespace"), one["metadata"].get("name")) for one in before if one.get("metadata")]
        if not before or len(ids) < len(before) or len(set(ids)) < len(ids) or any(not name for *_, name in ids):
            return None
        patches = Patches(arguments.seed * 1_000_000 + number, types)
        index = patches.random.randrange(len(before))
        resource = before[index]
        kind = types_of.get((resource["apiVersion"], resource["kind"]))
        form = "strategic" if kind else "merge"
        patch = named(patches.patch(resource, kind or "-", bool(kind)), resource)
        alone, target, patch_file = (folder / f"{number}.{end}" for end in ("json", path.suffix[1:] + "-t.yaml", "patch"))
        alone.write_text(json.dumps(resource))
        shutil.copy(path, target)
        patch_file.write_text(json.dumps(patch))
        command = ["kubectl", "patch", "--local", "--type", form, "-o", "json", "-f", str(alone), "-p", json.dumps(patch)]
        theirs = subprocess.run(command, capture_output=True, text=True)
        command = [binary, "patch", "-q", "--type", form, "--patch", str(patch_file), str(target)]
        ours = subprocess.run(command, capture_output=True, text=True)
        # a key that is there twice is refused (docs/patches.md); kubectl takes the last
        if ours.returncode and (theirs.returncode or "occurs twice in one map" in ours.stderr):
            return ""
        if theirs.returncode or ours.returncode:
            return f"{path} {resource['kind']}: kubectl: {theirs.stderr.strip() or 'applied'}; merge3: {ours.stderr.strip() or 'applied'}\n  {json.dumps(patch)}"
        wanted = [json.loads(theirs.stdout) if at == index else other for at, other in enumerate(before)]
        found = documents(target)
        if without_nulls(wanted) == without_nulls(found):
            return ""
        return f"{path} {resource['kind']}:\n  patch   {json.dumps(patch)}\n  kubectl {json.dumps(wanted[index])}\n  merge3  {json.dumps(found[index] if index < len(found) else found)}"

    problems, done, number = [], 0, 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(4) as pool:
        while done < arguments.patches and number < arguments.patches * 10:
            numbers = range(number, number + 100)
            number += 100
            for result in pool.map(lambda it: one(it, pathlib.Path(temporary)), numbers):
                if result is not None and done < arguments.patches:
                    done += 1
                    problems += [result] if result else []
    print(f"{'FAIL' if problems else 'ok  '}  {done - len(problems)} of {done} random patches of real files leave what kubectl leaves")
    for problem in problems[:10]:
        print("  " + problem)
    return 1 if problems or done < arguments.patches else 0


if __name__ == "__main__":
    sys.exit(main())
