#!/usr/bin/env python3
"""Upgrades kube-prometheus in a git repository with `merge3 upgrade` and, where it is installed, `kpt pkg update`.

    make bench REAL=../shared/real

Prints a Markdown table: seconds of each of three runs' best, and how many lines git says were changed. Each run begins at the old
version with an empty cache; fetching is part of it.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: m\n"
RUNS = 3


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def upstream(real, root):
    """A repository with both versions; returns its address."""
    work = root / "up"
    work.mkdir()
    git(work, "init", "-q", "-b", "main")
    for version, name in [("v0.13.0", "old"), ("v0.14.0", "new")]:
        shutil.rmtree(work / "m", ignore_errors=True)
        shutil.copytree(real / "kube-prometheus" / name, work / "m")
        (work / "m" / "Kptfile").write_text(KPTFILE)
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", version)
        git(work, "tag", version)
    git(root, "clone", "-q", "--bare", "up", "up.git")
    return f"file://{root}/up.git"


def measure(get, update, root, run):
    """Seconds of an update, and the lines that it changed."""
    fleet = root / f"fleet-{run}"
    fleet.mkdir()
    environment = dict(os.environ, XDG_CACHE_HOME=str(fleet / ".git" / "cache"), KPT_CACHE_DIR=str(fleet / ".git" / "kpt"))
    git(fleet, "init", "-q", "-b", "main")
    call = dict(cwd=fleet, env=environment, check=True, capture_output=True)
    subprocess.run(get, **call)
    git(fleet, "add", "-A")
    git(fleet, "commit", "-q", "-m", "vendor")
    start = time.perf_counter()
    subprocess.run(update, **call)
    seconds = time.perf_counter() - start
    return seconds, git(fleet, "diff", "--shortstat").strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--real", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    if not (arguments.real / "kube-prometheus").is_dir():
        raise SystemExit(f"no kube-prometheus in {arguments.real}: give REAL=FOLDER")
    print("| upgrade of kube-prometheus, git and all | seconds | change |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        address = upstream(arguments.real, root)
        program = str(pathlib.Path(arguments.bin).resolve())
        ways = [("merge3 upgrade", [program, "get", f"{address}/m@v0.13.0", "m"], [program, "upgrade", "m"])]
        if shutil.which("kpt"):
            get, update = ["kpt", "pkg", "get", f"{address}/m@v0.13.0", "m"], ["kpt", "pkg", "update", "m@v0.14.0"]
            ways.append(("kpt pkg update", get, update))
        for name, get, update in ways:
            runs = [measure(get, update, root, f"{name.split()[0]}-{run}") for run in range(RUNS)]
            seconds, change = min(runs)
            print(f"| {name} | {seconds:.2f} | {change} |")
        if len(ways) == 1:
            print("\nkpt is not installed, and was not measured.")


main()
