#!/usr/bin/env python3
"""Measures how time and memory grow with the input, for many shapes of input: `make growth`.

Each shape runs in four sizes, each about twice the previous one. The cost of a run is the number of
instructions if the machine can count them (`perf stat`), else the minimum CPU time of several runs.
The cost of a run on a minimal input is subtracted. The exponent is the slope of the line through
the logarithms of bytes and cost; 1 means linear. A last run on 10 MB or more measures the peak
memory, which the table shows beside the size of the input.
"""
import argparse
import math
import os
import pathlib
import pickle
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import shapes
import shapes_of_packages  # noqa: F401  adds its shapes to shapes.SHAPES

MEGABYTE = 1 << 20
STEEPEST = 1.15
# the memory bound of a run: TIMES times the bytes that it reads, plus SPARE
TIMES, SPARE = 6, 20 * MEGABYTE
# the input size for measuring memory; with less, the memory of the program itself dominates
LARGE = 10 * MEGABYTE
# the minimum seconds for the smallest size, so that other load on the machine matters little
SHORTEST = 0.03
# no larger size is run after a run that took more seconds than this
LONGEST = 2
SIZES = 4
# the maximum number of rounds over the sizes, if only CPU time can be measured and the exponent is
# too high
ROUNDS = 3


def in_child(work):
    """Returns what a function returns in a process of its own. The system counts the peak of this process into that of each
    program that it starts later, so nothing large may happen here."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writing, pickle.dumps(work()))
            status = 0
        except SystemExit as error:
            print(error, file=sys.stderr)
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        result = stream.read()
    if os.waitpid(child, 0)[1]:
        sys.exit(1)
    return pickle.loads(result)


class Program:
    def __init__(self, binary, there):
        self.binary, self.there = str(binary), there
        self.counts = self.can_count()

    def can_count(self):
        if not shutil.which("perf"):
            return False
        ran = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", self.binary, "--version"], capture_output=True, text=True)
        return ran.returncode == 0 and ran.stderr.split(",")[0].isdigit()

    def write(self, shape, size):
        """Writes a shape's files, in a process of its own."""
        in_child(lambda: self.write_files(shape, size))

    def write_files(self, shape, size):
        for side in "oul":
            text = shape.text(size, side)
            for path, content in (text if isinstance(text, dict) else {shape.file: text}).items():
                file = self.there / side / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, newline="")

    def words(self, shape):
        """Returns the arguments of the command, and the folders that it reads."""
        o, u, l = (self.there / side for side in "oul")
        fo, fu, fl = (side / shape.file for side in (o, u, l))
        more = [word.format(there=self.there) for word in shape.arguments]
        sides = ["--ancestor", o, "--from", u, "--to", l]
        return {
            "merge": ([*sides, *more], (o, u, l)),
            "driver": (["git", "driver", fo, fl, fu, "--path", shape.file, *more], (o, u, l)),
            "merge-file": (["merge-file", "-q", fl, fo, fu, *more], (o, u, l)),
            "solve": (["solve", fl, *more], (l,)),
            "explain": (["explain", *sides, *more], (o, u, l)),
            "apply": (["apply", "--last-applied", o, "--config", u, "--live", l, *more], (o, u, l)),
            "patch": (["patch", "--patch", fu, l, *more], (u, l)),
            "diff": (["diff", o, u, *more], (o, u)),
        }[shape.command]

    def run(self, shape, repeat=1):
        """Returns the minimum cost of `repeat` runs, the peak memory, and the bytes read."""
        arguments, read = self.words(shape)
        command = [self.binary, *map(str, arguments)]
        local, kept = self.there / "l", self.there / "kept"
        local.rename(kept)
        least, peak = math.inf, 0
        for _ in range(repeat):
            shutil.copytree(kept, local)
            cost, memory = self.once(shape, command)
            shutil.rmtree(local)
            shutil.rmtree(self.there / "out", ignore_errors=True)
            (self.there / "out").unlink(missing_ok=True) if (self.there / "out").is_file() else None
            least, peak = min(least, cost), max(peak, memory)
        kept.rename(local)
        size = sum(file.stat().st_size for folder in read for file in folder.rglob("*") if file.is_file())
        return least, peak, size

    def once(self, shape, command):
        counted = self.there / "counted"
        if self.counts:
            command = [shutil.which("perf"), "stat", "-x,", "-o", str(counted), "-e", "instructions:u", *command]
        quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
        _, status, usage = os.wait4(child, 0)
        # status 1 means conflicts; git's commands report their number, up to 127
        if os.waitstatus_to_exitcode(status) not in range(128) or os.waitstatus_to_exitcode(status) == 2 and shape.command in ("merge", "patch", "apply", "diff"):
            sys.exit(f"{shape.name}: exit status {os.waitstatus_to_exitcode(status)}: {' '.join(command)}")
        cost = usage.ru_utime + usage.ru_stime
        if self.counts:
            # a billion instructions take about a second
            cost = int(counted.read_text().splitlines()[-1].split(",")[0]) / 1e9
        return cost, usage.ru_maxrss * 1024


def slope(points):
    """Returns the slope of the line through the logarithms of the points."""
    xs, ys = ([math.log(point[at]) for point in points] for at in (0, 1))
    return statistics.linear_regression(xs, ys).slope


def measured(program, shape):
    """Returns pairs of bytes and cost, and the peak memory and the bytes of a large input."""
    def at(size, repeat):
        for side in "oul":
            shutil.rmtree(program.there / side, ignore_errors=True)
        program.write(shape, size)
        return program.run(shape, repeat)

    start, *_ = at(1, 3)
    size = shape.size
    while True:
        cost, _, read = at(size, 1)
        if cost - start >= SHORTEST:
            break
        size = max(size * 2, min(size * 8, int(size * SHORTEST / max(cost - start, SHORTEST / 8))))
    least = {}
    for _ in range(ROUNDS):
        for step in range(SIZES):
            cost, peak, read = at(size << step, 1 if cost > 0.5 else 3)
            least[read] = min(max(cost - start, 1e-4), least.get(read, math.inf))
            if cost > LONGEST:
                break
        points = sorted(least.items())
        # other load on the machine may have caused the slope: try another round
        if program.counts or slope(points) <= STEEPEST or cost > LONGEST:
            break
    while read < LARGE and cost * (LARGE / read) ** max(1, slope(points)) < 4 * LONGEST and not shape.quadratic:
        size = int((size << step) * LARGE / read * 1.1) + 1
        step = 0
        cost, peak, read = at(size, 1)
    return points, peak, read


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="the binary")
    parser.add_argument("--only", default="", help="shapes whose name contains that")
    arguments = parser.parse_args()
    begun, unmet = time.time(), []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as there:
        program = Program(pathlib.Path(arguments.bin).resolve(), pathlib.Path(there))
        unit = "billions of instructions" if program.counts else "seconds of CPU time"
        print(f"| shape | kB | {unit} | exponent | peak | of the input |")
        print("| --- | --- | --- | --- | --- | --- |")
        for shape in shapes.SHAPES:
            if arguments.only not in shape.name:
                continue
            points, peak, read = in_child(lambda: measured(program, shape))
            exponent = slope(points)
            steep = exponent > STEEPEST and not shape.quadratic
            heavy = peak > TIMES * read + SPARE
            if steep or heavy:
                unmet.append(shape.name)
            costs = ", ".join(f"{cost:.3f}" for _, cost in points)
            sizes = ", ".join(f"{size / 1000:.0f}" for size, _ in points)
            note = f" ({shape.quadratic})" if shape.quadratic else ""
            mark = {True: "**{}**", False: "{}"}
            print(f"| {shape.name} | {sizes} | {costs} | {mark[steep].format(f'{exponent:.2f}')}{note} | {peak / MEGABYTE:.0f} MB "
                  f"| {mark[heavy].format(f'{max(peak - SPARE, 0) / read:.1f}')} of {read / MEGABYTE:.0f} MB + 20 MB |", flush=True)
    print(f"\n{len(shapes.SHAPES)} shapes in {time.time() - begun:.0f} s.")
    if unmet:
        sys.exit(f"Exponent above {STEEPEST}, or more than {TIMES} times the input + 20 MB: " + "; ".join(unmet))


if __name__ == "__main__":
    main()
