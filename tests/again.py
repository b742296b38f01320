#!/usr/bin/env python3
"""Merges versions of real files that changed a lot on both sides, and merges the result again: nothing may change.

    make again REAL=../shared/real

REAL has `texts/NAME/{original,updated}.yaml`, `merges/NAME` and `merges-ci/NAME` with `{base,ours,theirs,merged}.yaml`,
each with the `path` of the file. A case is three of the versions that one path has, in any order, in which git finds
conflicts. Each case runs with the default policy and with `--on-conflict local` and `markers`. The exit status is 1 if a
run fails or if a second run changes the result of the first. The failed cases are in FOLDER/CASE.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

SIDES = ("original", "updated", "local")
POLICIES = {"default": (), "local": ("--on-conflict", "local"), "markers": ("--on-conflict", "markers")}


def versions(real):
    """The different texts of each file, by the file's repository and path."""
    found = collections.defaultdict(dict)
    for case in sorted(path for kind in ("texts", "merges", "merges-ci") for path in (real / kind).glob("*")):
        repository = re.split(r"-[0-9a-f]{4,}", case.name)[0]
        key = (repository, (case / "path").read_text().strip())
        for text in sorted(case.glob("*.yaml")):
            if text.stem != "local":
                found[key].setdefault(text.read_bytes(), text)
    return {key: list(texts) for key, texts in found.items() if len(texts) >= len(SIDES)}


def cases(real, count, seed):
    """Up to `count` triples of texts in which git finds conflicts."""
    chance, files, known = random.Random(seed), sorted(versions(real).items()), set()
    for _ in range(100 * count):
        if len(known) == count:
            return
        (_, path), texts = chance.choice(files)
        triple = tuple(chance.sample(texts, len(SIDES)))
        if triple not in known and conflicts(triple):
            known.add(triple)
            yield f"{len(known) - 1:04}-{re.sub(r'[^a-zA-Z0-9]+', '-', path)}", triple


def conflicts(triple):
    names = []
    for text in triple:
        descriptor = os.memfd_create("text")
        os.write(descriptor, text)
        names.append(descriptor)
    original, updated, local = (f"/proc/self/fd/{name}" for name in names)
    git = subprocess.run(["git", "merge-file", "-p", "-q", local, original, updated], capture_output=True, pass_fds=names)
    for name in names:
        os.close(name)
    return 0 < git.returncode < 128


def merge(program, folder, into, options):
    """Merges into a copy of `into`; returns the copy's text, or None and what the program said."""
    copy = folder / "merged" / "values.yaml"
    shutil.rmtree(copy.parent, ignore_errors=True)
    copy.parent.mkdir()
    copy.write_bytes(into)
    command = [program, "--ancestor", folder / "original", "--from", folder / "updated", "--to", copy.parent, *options]
    run = subprocess.run(command, capture_output=True)
    text = copy.read_bytes() if copy.exists() else b""
    error = run.stderr.decode(errors="replace")
    if run.returncode in (0, 1) or "is not valid YAML" in error:
        return text, ""
    return None, error


def problems(program, folder):
    """The policies with which a second run changes something, or the first one fails."""
    for policy, options in POLICIES.items():
        first, error = merge(program, folder, (folder / "local/values.yaml").read_bytes(), options)
        if first is None:
            yield f"{policy}: {error.strip()[:200]}"
            continue
        if policy == "markers":
            continue
        second, error = merge(program, folder, first, options)
        if second != first:
            yield f"{policy}: a second run changes the result {error.strip()[:200]}".rstrip()


def write(folder, triple):
    for side, text in zip(SIDES, triple):
        (folder / side).mkdir(parents=True, exist_ok=True)
        (folder / side / "values.yaml").write_bytes(text)


def run(program, folder, triple):
    write(folder, triple)
    return list(problems(program, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--real", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where the cases are written")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    failed = total = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        started = [(name, threads.submit(run, arguments.bin.resolve(), arguments.folder / name, triple))
                   for name, triple in cases(arguments.real, arguments.count, arguments.seed)]
        for name, result in started:
            total += len(POLICIES)
            failed += len(result.result())
            for problem in result.result():
                print(f"FAIL  {name}: {problem}")
            if not result.result():
                shutil.rmtree(arguments.folder / name)
    print(f"{'FAIL' if failed else 'ok  '}  a second run changes nothing: {total - failed} of {total} runs of "
          f"{total // len(POLICIES)} cases")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
