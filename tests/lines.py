#!/usr/bin/env python3
"""Counts the lines of code in src, by module: without comments, blank lines and tests. Prints the modules, the files of
more than 400 lines and the functions of more than 60: `make lines`."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"
MOST_OF_FILE, MOST_OF_FUNCTION = 400, 60
FUNCTION = re.compile(r"^(\s*)(pub(\([a-z: ]+\))? )?(const )?fn (\w+)")


def code(text):
    """The lines of a file that count, with their numbers: what is behind `#[cfg(test)]` at the margin is a test."""
    text = text.split("\n#[cfg(test)]\n")[0]
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.strip().startswith("//"):
            yield number, line


def functions(lines):
    """The functions of a file: name, line and how many lines of code they have. rustfmt closes each at its own indentation."""
    begun = None
    for at, (number, line) in enumerate(lines):
        start = FUNCTION.match(line)
        if begun is None and start and not line.rstrip().endswith((";", "}")):
            begun = (start.group(5), number, at, start.group(1) + "}")
        elif begun and line.rstrip() == begun[3]:
            yield begun[0], begun[1], at - begun[2] + 1
            begun = None


def main():
    modules, long = collections.Counter(), []
    for path in sorted(ROOT.rglob("*.rs")):
        if path.name == "tests.rs" or "tests" in path.relative_to(ROOT).parts[:-1]:
            continue
        name = path.relative_to(ROOT)
        text = path.read_text()
        lines = list(code(text))
        modules[name.parts[0].removesuffix(".rs")] += len(lines)
        total = len(text.splitlines())
        if total > MOST_OF_FILE:
            long.append(f"{name}: {total} lines")
        for function, number, length in functions(lines):
            if length > MOST_OF_FUNCTION:
                long.append(f"{name}:{number}: {function} has {length} lines")
    print("| module | lines of code |\n| --- | ---: |")
    for module, lines in modules.most_common():
        print(f"| {module} | {lines} |")
    print(f"| all | {sum(modules.values())} |\n")
    print("\n".join(long))


main()
