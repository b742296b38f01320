#!/usr/bin/env python3
"""Measures how time and memory grow with the input, for many shapes of input: `make growth`.

Each shape runs in four sizes, each about twice the previous one. The cost of a run is the number of
instructions if the machine can count them (`perf stat`, or `valgrind` if that is installed), else
the minimum CPU time of several runs. Subtracted are the cost of the command on a minimal input and
the bytes of the shape's minimal input. The exponent is the slope of the line through the logarithms
of bytes and cost; 1 means linear. A last run on 10 MB or more measures the peak memory, which the
table shows beside the size of the input.
"""
import argparse
import dataclasses
import math
import multiprocessing
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

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
    """Calls a function in a process of its own. The system counts the peak of this process into that of each program that it
    starts later, so nothing large may happen here."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError("the input of a shape cannot be written")


@dataclasses.dataclass
class Counter:
    """A program that runs a command and writes the number of its instructions to the file `{file}`."""
    words: tuple
    number: str  # a pattern for the number in the file


COUNTERS = (
    Counter(("perf", "stat", "-x,", "-o", "{file}", "-e", "instructions:u"), r"^(\d+),"),
    Counter(("valgrind", "--quiet", "--tool=cachegrind", "--cache-sim=no", "--read-inline-info=no", "--vex-guest-chase=no", "--cachegrind-out-file={file}"), r"^summary: (\d+)"),
)


class Program:
    def __init__(self, binary, there, counter=None):
        self.binary, self.there, self.counter = str(binary), there, counter

    def find_counter(self):
        """Selects the first counter that works on this machine, if there is one."""
        for counter in COUNTERS:
            try:
                self.counter = counter
                self.once([self.binary, "--version"], counted=True)
                return
            except (OSError, TypeError):
                self.counter = None

    def write(self, shape, size):
        """Writes a shape's files, in a process of its own."""
        for side in "oul":
            shutil.rmtree(self.there / side, ignore_errors=True)
        in_child(lambda: self.write_files(shape, size))

    def size(self, shape):
        """Returns the number of bytes that a shape's command reads."""
        folders = self.words(shape)[1]
        return sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())

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

    def run(self, shape, repeat=1, counted=True):
        """Returns the minimum cost of `repeat` runs, the peak memory, and the bytes read. Only if not `counted`, the peak is that
        of the program itself."""
        command = [self.binary, *map(str, self.words(shape)[0])]
        local, kept = self.there / "l", self.there / "kept"
        local.rename(kept)
        least, peak = math.inf, 0
        for _ in range(repeat):
            shutil.copytree(kept, local)
            cost, memory, status = self.once(command, counted)
            # status 1 means conflicts; git's commands report their number, up to 127
            if status not in range(128) or status == 2 and shape.command in ("merge", "patch", "apply", "diff"):
                raise RuntimeError(f"{shape.name}: exit status {status}: {' '.join(command)}")
            shutil.rmtree(local)
            shutil.rmtree(self.there / "out", ignore_errors=True)
            (self.there / "out").unlink(missing_ok=True) if (self.there / "out").is_file() else None
            least, peak = min(least, cost), max(peak, memory)
        kept.rename(local)
        return least, peak, self.size(shape)

    def once(self, command, counted):
        """Runs a command. Returns its cost, its peak memory in bytes, and its exit status."""
        file = self.there / "counted"
        file.unlink(missing_ok=True)
        counter = self.counter if counted else None
        if counter:
            words = [word.format(file=file) for word in counter.words]
            command = [shutil.which(words[0]) or words[0], *words[1:], *command]
        quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
        _, status, usage = os.wait4(child, 0)
        cost = usage.ru_utime + usage.ru_stime
        if counter:
            # a billion instructions take about a second
            cost = int(re.search(counter.number, file.read_text(), re.M)[1]) / 1e9
        return cost, usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)


def slope(points):
    """Returns the slope of the line through the logarithms of the points."""
    xs, ys = ([math.log(point[at]) for point in points] for at in (0, 1))
    return statistics.linear_regression(xs, ys).slope


def start_key(shape):
    """Shapes with the same key have the same cost on a minimal input."""
    return shape.command, shape.arguments


def measured(program, shape, start):
    """Returns pairs of bytes and cost, and the peak memory and the bytes of a large input. `start` is the cost of the command on a
    minimal input."""
    known = {}  # the counted runs: their numbers are the same each time

    def at(size, repeat, counted=True):
        if program.counter and counted:
            if size not in known:
                known[size] = run(size, 1)
            return known[size]
        return run(size, repeat, counted)

    def run(size, repeat, counted=True):
        program.write(shape, size)
        return program.run(shape, repeat, counted)

    program.write(shape, 1)
    smallest = program.size(shape)
    # the number of instructions is the same in each run, also for a small input
    shortest = SHORTEST / 4 if program.counter else SHORTEST
    size = max(shape.size, 2)  # an input of size 1 has no bytes beyond the smallest
    while True:
        cost, _, read = at(size, 1)
        if cost - start >= shortest:
            break
        size = max(size * 2, min(size * 8, int(size * shortest / max(cost - start, shortest / 8))))
    least = {}
    for _ in range(ROUNDS):
        for step in range(SIZES):
            cost, _, read = at(size << step, 1 if cost > 0.5 else 3)
            more = read - smallest
            least[more] = min(max(cost - start, 1e-4), least.get(more, math.inf))
            if cost > LONGEST:
                break
        points = sorted(least.items())
        # other load on the machine may have caused the slope: try another round
        if program.counter or slope(points) <= STEEPEST or cost > LONGEST:
            break
    size <<= step
    while True:
        cost, peak, read = at(size, 1, counted=False)
        if read >= LARGE or cost * (LARGE / read) ** max(1, slope(points)) >= 4 * LONGEST:
            return points, peak, read
        size = int(size * LARGE / read * 1.1) + 1


def measured_apart(job):
    """Returns `measured` for the shape with a number, or its cost on a minimal input if `start` is `None`. Works in a folder of
    its own."""
    binary, there, counter, number, start = job
    shape = shapes.SHAPES[number]
    with tempfile.TemporaryDirectory(dir=there) as folder:
        program = Program(binary, pathlib.Path(folder), counter)
        if start is not None:
            return measured(program, shape, start)
        program.write(shape, 1)
        return program.run(shape, 1 if counter else 3)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="the binary")
    parser.add_argument("--only", default="", help="shapes whose name contains that")
    arguments = parser.parse_args()
    begun, unmet = time.time(), []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as there:
        program = Program(pathlib.Path(arguments.bin).resolve(), pathlib.Path(there))
        program.find_counter()
        unit = "billions of instructions" if program.counter else "seconds of CPU time"
        numbers = [number for number, shape in enumerate(shapes.SHAPES) if arguments.only in shape.name]
        # other processes change the CPU time of a run, and not the number of its instructions
        pool = multiprocessing.get_context("fork").Pool(os.cpu_count() if program.counter else 1, maxtasksperchild=1)
        minimal = {start_key(shapes.SHAPES[number]): number for number in reversed(numbers)}
        costs = pool.imap(measured_apart, [(program.binary, there, program.counter, number, None) for number in minimal.values()])
        starts = dict(zip(minimal, costs))
        jobs = [(program.binary, there, program.counter, number, starts[start_key(shapes.SHAPES[number])]) for number in numbers]
        print(f"| shape | kB | {unit} | exponent | peak | of the input |")
        print("| --- | --- | --- | --- | --- | --- |")
        for number, (points, peak, read) in zip(numbers, pool.imap(measured_apart, jobs)):
            shape = shapes.SHAPES[number]
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
    print(f"\n{len(numbers)} shapes in {time.time() - begun:.0f} s.")
    if unmet:
        sys.exit(f"Exponent above {STEEPEST}, or more than {TIMES} times the input + 20 MB: " + "; ".join(unmet))


if __name__ == "__main__":
    main()
