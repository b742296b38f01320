#!/usr/bin/env python3
"""Measures `merge3 upgrade` including git: compared with `kpt pkg update` on kube-prometheus, and
on many packages of one repository.

    make upgrade-times REAL=../shared/real

Prints Markdown tables with the median of the seconds, the number of fetches, and the change. The
repositories are local (file://). With an empty cache both versions are fetched; with a full cache
they were fetched before. The rows of a table run in turns, so that other load on the machine
affects all of them. The exit status is 1 if an upgrade takes more than a third of kpt's time.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: m\n"
IDENTITY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}


def run(command, folder, **environment):
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env={**os.environ, **IDENTITY, **environment}, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def upstream(root, name, fill):
    """Makes a bare repository with two tagged versions, which `fill` writes. Returns its folder."""
    work, bare = root / name, root / f"{name}.git"
    work.mkdir()
    run(["git", "init", "-q", "-b", "main"], work)
    for version, side in [("v0.13.0", "old"), ("v0.14.0", "new")]:
        for entry in work.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry)
        fill(work, side)
        run(["git", "add", "-A"], work)
        run(["git", "commit", "-q", "-m", version], work)
        run(["git", "tag", version], work)
    run(["git", "clone", "-q", "--bare", work, bare], root)
    return bare


class Fleet:
    """A repository with packages at the old version, and with separate caches."""

    def __init__(self, folder, get):
        self.folder = folder
        folder.mkdir()
        self.caches = folder.with_suffix(".caches")
        run(["git", "init", "-q", "-b", "main"], folder)
        get(self)
        run(["git", "add", "-A"], folder)
        run(["git", "commit", "-q", "-m", "vendor"], folder)

    def run(self, command, trace=None):
        environment = {"MERGE3_CACHE_DIR": self.caches / "merge3", "KPT_CACHE_DIR": self.caches / "kpt"}
        if trace:
            environment["GIT_TRACE"] = trace
        return run(command, self.folder, **{name: str(value) for name, value in environment.items()})

    def upgrade(self, command, cache, trace=None):
        """Upgrades from the old version. Returns the seconds and what changed."""
        run(["git", "reset", "-q", "--hard"], self.folder)
        run(["git", "clean", "-qfd"], self.folder)
        if cache == "empty":
            shutil.rmtree(self.caches, ignore_errors=True)
        took = seconds(lambda: self.run(command, trace))
        run(["git", "add", "-A"], self.folder)
        return took, run(["git", "diff", "--cached", "--shortstat"], self.folder).strip()

    def fetches(self, command, cache):
        """Returns the number of fetches in an upgrade, not counting helpers that git calls."""
        trace = self.folder.with_suffix(".trace")
        trace.unlink(missing_ok=True)
        self.upgrade(command, cache, trace)
        return sum("trace: built-in: git fetch " in line for line in trace.read_text().splitlines())


def beside_kpt(options, root):
    def fill(work, side):
        shutil.copytree(options.real / "kube-prometheus" / side, work / "m")
        (work / "m" / "Kptfile").write_text(KPTFILE)

    address = f"file://{upstream(root, 'kube-prometheus', fill)}/m@v0.13.0"
    ways = {"merge3 upgrade": ([options.bin, "get", address, "m"], [options.bin, "upgrade", "m"])}
    if shutil.which("kpt"):
        ways["kpt pkg update"] = (["kpt", "pkg", "get", address, "m"], ["kpt", "pkg", "update", "m@v0.14.0"])
    fleets = {name: Fleet(root / name.split()[0], lambda fleet, get=get: fleet.run(get)) for name, (get, _) in ways.items()}
    took, changed, right = {}, {}, True
    for cache in ("empty", "full"):
        for _ in range(options.runs):
            for name, (_, update) in ways.items():
                one, changed[name, cache] = fleets[name].upgrade(update, cache)
                took.setdefault((name, cache), []).append(one)
    print("| upgrade of kube-prometheus | cache | seconds | fetches | change |\n| --- | --- | --- | --- | --- |")
    for (name, cache), all_runs in took.items():
        fetches = fleets[name].fetches(ways[name][1], cache)
        print(f"| {name} | {cache} | {statistics.median(all_runs):.2f} | {fetches} | {changed[name, cache]} |")
        if name.startswith("kpt"):
            share = statistics.median(took["merge3 upgrade", cache]) / statistics.median(all_runs)
            right &= share <= 1 / 3
    if len(ways) == 1:
        print("\nkpt is not installed, and was not measured.")
    return right


def many_packages(options, root, filters):
    """Measures the upgrade of many customised packages with three manifests each."""
    def fill(work, side):
        for number in range(options.packages):
            folder = work / f"p{number:03}"
            folder.mkdir()
            for name in names[number % 30 :][:3]:
                source = options.real / "kube-prometheus" / side / name
                folder.joinpath(name).write_text(source.read_text().replace("kube-prometheus", f"kube-prometheus-{number}"))

    sides = options.real / "kube-prometheus"
    names = sorted(path.name for path in (sides / "old").glob("*.yaml") if (sides / "new" / path.name).exists())
    names = [name for name in names if (sides / "old" / name).stat().st_size < 20_000]
    kind = "filters" if filters else "plain"
    bare = upstream(root, f"many-{kind}", fill)
    if filters:
        run(["git", "config", "uploadpack.allowFilter", "true"], bare)
    run(["git", "config", "uploadpack.allowAnySHA1InWant", "true"], bare)

    def vendored(fleet):
        for number in range(options.packages):
            fleet.run([options.bin, "get", f"file://{bare}/p{number:03}@v0.13.0", f"p{number:03}"])
            manifest = sorted((fleet.folder / f"p{number:03}").glob("*.yaml"))[0]
            manifest.write_text(manifest.read_text() + "# ours\n")

    fleet = Fleet(root / f"fleet-{kind}", vendored)
    commits = run(["git", "rev-parse", "v0.13.0^{commit}", "v0.14.0^{commit}"], bare).split()
    trees = {}
    for version in ("v0.13.0", "v0.14.0"):
        trees[version] = root / f"{kind}-{version}"
        run(["git", "worktree", "add", "-q", "--detach", trees[version], version], bare)

    def plain_fetch():
        shutil.rmtree(root / "plain.git", ignore_errors=True)
        run(["git", "init", "-q", "--bare", root / "plain.git"], root)
        run(["git", "fetch", "-q", "--depth=1", f"file://{bare}", *commits], root / "plain.git")

    def merges():
        for number in range(options.packages):
            folder = f"p{number:03}"
            sides = ["--ancestor", trees["v0.13.0"] / folder, "--from", trees["v0.14.0"] / folder, "--to", folder]
            run([options.bin, *sides, "--dry-run", "-q"], fleet.folder)

    upgrade = [options.bin, "upgrade", "--all"]
    rows = {
        "a plain `git fetch` of both versions": lambda: (seconds(plain_fetch), ""),
        f"{options.packages} calls of `merge3 --dry-run`": lambda: (seconds(merges), ""),
        "`merge3 upgrade --all`, cache empty": lambda: fleet.upgrade(upgrade, "empty"),
        "`merge3 upgrade --all`, cache full": lambda: fleet.upgrade(upgrade, "full"),
    }
    took, changed = {}, {}
    for _ in range(options.runs):
        for name, work in rows.items():
            one, changed[name] = work()
            took.setdefault(name, []).append(one)
            run(["git", "reset", "-q", "--hard"], fleet.folder)
    server = "a server that filters" if filters else "a server that does not filter"
    print(f"\n| {options.packages} packages of one repository, {server} | seconds | fetches | change |\n| --- | --- | --- | --- |")
    for name, all_runs in took.items():
        fetches = fleet.fetches(upgrade, name.split()[-1]) if "cache" in name else ""
        print(f"| {name} | {statistics.median(all_runs):.2f} | {fetches} | {changed[name]} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--real", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--packages", type=int, default=200)
    options = parser.parse_args()
    if not (options.real / "kube-prometheus").is_dir():
        sys.exit(f"no kube-prometheus in {options.real}: give REAL=FOLDER")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        right = beside_kpt(options, root)
        for filters in (False, True):
            many_packages(options, root, filters)
    if not right:
        sys.exit("an upgrade takes more than a third of the time of kpt pkg update")


main()
