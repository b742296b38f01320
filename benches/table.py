#!/usr/bin/env python3
"""Measures merge3 on packages and prints a Markdown table: `make bench REAL=FOLDER`.

The rows run in rounds, each row once in every round, so that other load on the machine affects all
rows equally. The table shows the median time of a row's runs and half of the interquartile range.
`cp -r new x` runs in the same rounds for each package, and the ratio is relative to it. If REAL has
no packages, generated packages of the same shape are measured.

The system counts the memory of this script as memory of its children, so no peak can be lower than
that of `/bin/true`.
"""
import argparse
import dataclasses
import filecmp
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MEGABYTE = 1 << 20
# the memory that a run may need beyond four times the bytes of the three packages
SPARE = 20 * MEGABYTE


@dataclasses.dataclass
class Row:
    """A row of the table: a command that runs repeatedly, each time on a fresh copy."""
    name: str
    command: list
    beside: str = ""  # the name of the row that the ratio is relative to
    copied: pathlib.Path | None = None  # what is copied to `into` before each run
    into: pathlib.Path | None = None
    bytes: int = 0  # the size of the three packages, if the peak memory has a bound
    runs: int = 21
    limit: tuple = ()  # (text, function of (all rows by name, row) -> (figure, whether it is met))
    twin: pathlib.Path | None = None  # the target of a second, simultaneous run of the command
    seconds: list = dataclasses.field(default_factory=list)
    cpu: list = dataclasses.field(default_factory=list)
    peak: int = 0

    def run(self):
        commands = [self.command]
        if self.twin:
            commands.append([str(self.twin) if word == str(self.into) else word for word in self.command])
        for into in filter(None, (self.into, self.twin)):
            remove(into)
            if self.copied:
                subprocess.run(["cp", "-r", self.copied, into], check=True)
        start = time.perf_counter()
        children = [os.posix_spawn(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
            for command in commands]
        ends = [os.wait4(child, 0) for child in children]
        self.seconds.append(time.perf_counter() - start)
        for _, status, _ in ends:
            if status:
                sys.exit(f"{self.name}: exit status {os.waitstatus_to_exitcode(status)}: {' '.join(self.command)}")
        self.cpu.append(sum(usage.ru_utime + usage.ru_stime for _, _, usage in ends))
        self.peak = max(self.peak, *(usage.ru_maxrss * 1024 for _, _, usage in ends))

    @property
    def median(self):
        return statistics.median(self.seconds)

    @property
    def spread(self):
        if len(self.seconds) < 2:
            return 0
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / 2


class Bench:
    def __init__(self, program, there, scale):
        self.program, self.there, self.scale = program, there, scale
        self.rows = []

    def add(self, name, command, **how):
        words = [str(word) for word in command]
        words[0] = shutil.which(words[0]) or words[0]
        how["runs"] = max(3, round(how.get("runs", 21) * self.scale))
        row = Row(name, words, **how)
        self.rows.append(row)
        return row

    def copy(self, name, source, **how):
        """Adds the row `cp -r source x`, which other rows are compared with."""
        into = self.there / f"copy of {name}"
        return self.add(f"`cp -r new x`, {name}", ["cp", "-r", source, into], into=into, **how).name

    def merge(self, name, folders, beside, threads=None, **how):
        old, new, local = folders
        into = self.there / name / "x"
        into.parent.mkdir(exist_ok=True)
        extra = ["--threads", threads] if threads else []
        size = sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())
        return self.add(name, [self.program, "--ancestor", old, "--from", new, "--to", into, *extra],
                        beside=beside, copied=local, into=into, bytes=size, **how)

    def generated(self, *shape):
        """Returns a package written by `packages.py`. That runs in another process, so that the
        memory of this one stays small."""
        folder = self.there / "packages" / "-".join(map(str, shape))
        if not folder.exists():
            print("writing", *shape, file=sys.stderr)
            subprocess.run([sys.executable, HERE / "packages.py", *map(str, shape), folder], check=True)
        return folder

    def measure(self):
        os.sync()
        for number in range(max(row.runs for row in self.rows)):
            print("round", number + 1, file=sys.stderr)
            for row in self.rows:
                if len(row.seconds) < row.runs:
                    row.run()


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def times(limit, what="`cp`"):
    """Returns a limit: at most `limit` times the time of the row beside, which runs `what`."""
    def check(rows, row):
        ratio = row.median / rows[row.beside].median
        return f"{ratio:.1f}", ratio <= limit
    return f"at most {limit} times {what}", check


def seconds(limit):
    return f"at most {limit} s", lambda rows, row: (f"{row.median:.3f} s", row.median <= limit)


def longer(limit):
    """Returns a limit: at most `limit` seconds longer than the row beside."""
    def check(rows, row):
        more = row.median - rows[row.beside].median
        return f"{more * 1000:.2f} ms", more <= limit
    return f"at most {limit * 1000:.0f} ms longer than `/bin/true`", check


def growth(limit, smaller):
    def check(rows, row):
        ratio = row.median / rows[smaller].median
        return f"{ratio:.2f}", ratio <= limit
    return f"at most {limit} times {smaller}", check


def faster(limit, one, twins):
    def check(rows, row):
        ratio, most = rows[one].median / row.median, 2 * rows[one].median / rows[twins].median
        return f"{ratio:.2f} (two processes with a merge each: {most:.2f})", ratio >= limit
    return f"at least {limit} times as fast as one thread", check


def real_packages(bench, real):
    """Adds rows for kube-prometheus and kubeflow, or for generated packages of the same shape."""
    def sides(name):
        given = real / name
        return (given, name) if given.is_dir() else (bench.generated(name.removeprefix("kube-")), f"generated like {name}")

    folder, name = sides("kube-prometheus")
    copy = bench.copy(name, folder / "new")
    for fork, limit in ("local", 4), ("local-all", 10):
        bench.merge(f"{name}, `{fork}`", [folder / side for side in ("old", "new", fork)], copy, limit=times(limit))
    two_threads(bench, f"{name}, `local-all`", [folder / side for side in ("old", "new", "local-all")], copy)
    folder, name = sides("kubeflow")
    copy = bench.copy(name, folder / "new")
    bench.merge(f"{name}, old to new", [folder / side for side in ("old", "new", "old")], copy, limit=times(5))


def two_threads(bench, name, folders, copy, **how):
    """Adds rows for one thread, for two threads, and for two simultaneous processes with one thread
    each. The last one shows how much two busy processors of this machine can do."""
    one = bench.merge(f"{name}, one thread", folders, copy, threads=1, **how)
    twins = bench.merge(f"{name}, two merges at once", folders, copy, threads=1, **how)
    twins.twin = twins.into.parent / "y"
    bench.merge(f"{name}, two threads", folders, copy, threads=2, limit=faster(1.5, one.name, twins.name), **how)


def resources(bench, most):
    """Adds rows for resources that both sides changed, ten in a file and all in one."""
    bounds = {4000: lambda words: seconds(0.12), 64000: lambda words: growth(4.5, f"16,000 resources, {words}")}
    for count, runs in (1000, 21), (4000, 21), (16000, 9), (64000, 5):
        if count > most:
            continue
        for shape, words in ("tens", "ten in a file"), ("one", "one file"):
            package = bench.generated(shape, count)
            folders = [package / side for side in ("old", "new", "local")]
            name = f"{count:,} resources, {words}"
            copy = bench.copy(name, package / "new", runs=runs)
            limit = bounds[count](words) if count in bounds else ()
            bench.merge(name, folders, copy, runs=runs, limit=limit)
            if count == 16000:
                two_threads(bench, name, folders, copy, runs=runs)


def single_documents(bench):
    for shape, size, name, runs in (("crds", 50, "one file of 50 MB, 50 CRDs", 5), ("document", 50_000_000, "one document of 50 MB", 5),
                                    ("crd", 1_000_000, "one CRD of 1 MB", 21)):
        package = bench.generated(shape, size)
        copy = bench.copy(name, package / "new", runs=runs)
        bench.merge(name, [package / side for side in ("old", "new", "local")], copy, runs=runs)


def small_things(bench):
    nothing = bench.add("`/bin/true`", ["/bin/true"], runs=101).name
    bench.add("`merge3 --version`", [bench.program, "--version"], runs=101, beside=nothing, limit=longer(0.001))
    package = bench.generated("small")
    files = [package / side / "app.yaml" for side in ("old", "new", "local")]
    into = bench.there / "small.yaml"
    bench.add("one file of three lines", [bench.program, "--ancestor", files[0], "--from", files[1], "--to", into],
              copied=files[2], into=into, runs=101, beside=nothing, limit=longer(0.002))


def drivers(bench):
    package = bench.generated("lines", 300)
    base, other, ours = (package / side / "deployment.yaml" for side in ("old", "new", "local"))
    into = [bench.there / f"{tool}.yaml" for tool in ("git", "merge3", "mergiraf")]
    how = {"copied": ours, "runs": 51}
    git = bench.add("300 lines: `git merge-file`", ["git", "merge-file", into[0], base, other], into=into[0], **how).name
    bench.add("300 lines: `merge3 git driver`", [bench.program, "git", "driver", base, into[1], other, "--path", "deployment.yaml"],
              into=into[1], beside=git, limit=times(1.5, "`git merge-file`"), **how)
    if shutil.which("mergiraf"):
        bench.add("300 lines: `mergiraf merge`", ["mergiraf", "merge", "--git", base, into[2], other, "-p", "deployment.yaml"],
                  into=into[2], beside=git, **how)


def differences(left, right):
    compared = filecmp.dircmp(left, right)
    _, wrong, errors = filecmp.cmpfiles(left, right, compared.common_files, shallow=False)
    below = [name for folder in compared.common_dirs for name in differences(left / folder, right / folder)]
    return compared.left_only + compared.right_only + wrong + errors + below


def same_results(bench):
    """Returns whether one thread and two threads wrote the same packages, in the last runs."""
    pairs = [(row.into, bench.there / row.name.replace("one thread", "two threads") / "x")
             for row in bench.rows if row.name.endswith("one thread")]
    return not [name for pair in pairs for name in differences(*pair)]


def duration(value):
    return f"{value * 1000:.2f} ms" if value < 0.01 else f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def table(bench):
    rows = {row.name: row for row in bench.rows}
    print("| what | wall | ratio | CPU | peak | peak, in bytes of the three packages | bound | met |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    unmet = 0
    for row in bench.rows:
        ratio = f"{row.median / rows[row.beside].median:.1f}" if row.beside else ""
        bounds, met = [], True
        if row.limit:
            figure, met = row.limit[1](rows, row)
            bounds.append(f"{row.limit[0]}: {figure}")
        held = ""
        if row.bytes:
            held = f"{row.peak / row.bytes:.1f} of {row.bytes / MEGABYTE:.1f} MB"
            within = row.peak <= 4 * row.bytes + SPARE
            bounds.append(f"4 times + 20 MB: {(4 * row.bytes + SPARE) / MEGABYTE:.0f} MB" + ("" if within else " exceeded"))
            met &= within
        unmet += not met
        print(f"| {row.name} | {duration(row.median)} ± {duration(row.spread)} | {ratio} | {duration(statistics.median(row.cpu))} "
              f"| {row.peak / MEGABYTE:.0f} MB | {held} | {'; '.join(bounds)} | {('yes' if met else '**no**') if bounds else ''} |")
    return unmet


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="the binary")
    parser.add_argument("--real", required=True, help="the folder with kube-prometheus and kubeflow, if there is one")
    parser.add_argument("--most", type=int, default=64000, help="no generated packages of more resources")
    parser.add_argument("--scale", type=float, default=1, help="so many times the usual number of runs")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.bin).resolve()
    with tempfile.TemporaryDirectory() as there:
        bench = Bench(program, pathlib.Path(there), arguments.scale)
        real_packages(bench, pathlib.Path(arguments.real).resolve())
        resources(bench, arguments.most)
        single_documents(bench)
        small_things(bench)
        drivers(bench)
        bench.measure()
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
        print(f"{version}, {os.cpu_count()} cores, load while measuring {load}; {time.strftime('%Y-%m-%d')}\n")
        unmet = table(bench)
        same = same_results(bench)
    print(f"\n{unmet} bounds are not met." if unmet else "\nAll bounds are met.")
    print("The results with one thread and with two are the same." if same else "The results with one thread and with two DIFFER.")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
