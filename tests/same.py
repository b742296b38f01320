#!/usr/bin/env python3
"""Runs two builds of merge3 on real input and lists each run in which they differ: files, output or exit status.

    make same BASE=/path/to/other/merge3 REAL=../shared/real

REAL has `texts`, `merges`, `merges-ci`, `comments` and `driver` with a folder for each case, and the packages
`kubeflow/{old,new}` and `kube-prometheus/{old,new,local,local-all}`. The sides of each case are also exchanged. The exit
status is 1 if a run differs. SHOW=1 in the environment prints a diff of the two results.
"""
import argparse
import concurrent.futures
import difflib
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAMES = (("original", "updated", "local"), ("base", "theirs", "ours"))
POLICIES = ((), ("--on-conflict", "local"), ("--on-conflict", "markers"))


def texts(real):
    """The name and the three texts of each case; updated and local also exchanged, and the history turned around."""
    folders = (path for kind in ("texts", "merges", "merges-ci", "comments", "driver") for path in (real / kind).glob("*"))
    for folder in sorted(folders):
        for names in NAMES:
            files = [next(folder.glob(f"{name}.y*ml"), None) for name in names]
            if all(files):
                original, updated, local = (file.read_bytes() for file in files)
                name = f"{folder.parent.name}/{folder.name}"
                yield name, (original, updated, local)
                yield f"{name} exchanged", (original, local, updated)
                yield f"{name} turned around", (updated, original, local)


def packages(real):
    for name, local in (("kubeflow", "old"), ("kube-prometheus", "local"), ("kube-prometheus", "local-all")):
        yield f"{name} into {local}", [real / name / side for side in ("old", "new", local)]
        yield f"{name} turned around", [real / name / side for side in ("new", "old", "new")]


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def outcome(program, work, arguments):
    """The result of a run in a folder of its own: the files of the target, the exit status, and the output."""
    run = subprocess.run([program, *arguments], cwd=work, capture_output=True)
    return contents(work / "local") | {"status": b"%d\n" % run.returncode, "stdout": run.stdout, "stderr": run.stderr}


def on_texts(programs, triple):
    for arguments in itertools.chain(
            (("--ancestor", "original", "--from", "updated", "--to", "local", *policy) for policy in POLICIES),
            (("merge-file", "--diff3", "local/values.yaml", "original/values.yaml", "updated/values.yaml"),)):
        results = []
        for program in programs:
            with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
                for side, text in zip(NAMES[0], triple):
                    folder = pathlib.Path(work) / side
                    folder.mkdir()
                    (folder / "values.yaml").write_bytes(text)
                results.append(outcome(program, pathlib.Path(work), arguments))
        yield arguments, results


def on_packages(programs, folders):
    for policy in POLICIES:
        results = []
        for program in programs:
            with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
                shutil.copytree(folders[2], pathlib.Path(work) / "local", symlinks=True)
                arguments = ("--ancestor", folders[0], "--from", folders[1], "--to", "local", *policy)
                results.append(outcome(program, pathlib.Path(work), arguments))
        yield policy, results


def differences(runs):
    """The number of runs, and a text for each that differs."""
    count, found = 0, []
    for arguments, (old, new) in runs:
        count += 1
        if old != new:
            found.append((" ".join(map(str, arguments)), [
                line for path in sorted(old.keys() | new.keys()) if old.get(path) != new.get(path)
                for line in difflib.unified_diff(*(
                    it.get(path, b"").decode(errors="replace").splitlines() for it in (old, new)),
                    f"base/{path}", path, lineterm="", n=4)]))
    return count, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--base", required=True, type=pathlib.Path)
    parser.add_argument("--real", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    programs = [arguments.base.resolve(), arguments.bin.resolve()]
    total = differing = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        started = [(name, threads.submit(lambda triple: differences(on_texts(programs, triple)), triple))
                   for name, triple in texts(arguments.real.resolve())]
        started += [(name, threads.submit(lambda folders: differences(on_packages(programs, folders)), folders))
                    for name, folders in packages(arguments.real.resolve())]
        for name, result in started:
            count, found = result.result()
            total += count
            differing += len(found)
            for command, lines in found:
                print(f"differs: {name}: {command}")
                if os.environ.get("SHOW"):
                    print("\n".join(lines))
    print(f"{differing} of {total} runs differ")
    return 1 if differing or not total else 0


if __name__ == "__main__":
    sys.exit(main())
