#!/usr/bin/env python3
"""Makes the inputs that a fuzz target starts from, of the cases in testdata: seed.py FOLDER"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIDES = ("original", "updated", "local")
# as in tests/fuzz/oracle/package.rs
NAMES = ["a.yaml", "b.yaml", "c/a.yaml", "c/d/e.yml", "Kptfile", "c.json", "README.md", "c",
         "templates/t.yaml", ".krmignore", ".merge3.yaml", "kustomization.yaml"]
LONGEST = 2048


def options(case):
    """The bytes that choose the options: see tests/fuzz/oracle/input.rs."""
    path = case / "arguments"
    text = path.read_text() if path.is_file() else ""
    first = 0
    for word, bits in (("local", 1), ("fail", 2), ("markers", 3)):
        first |= bits if f"on-conflict={word}" in text else 0
    first |= 4 if "lists=set" in text else 8 if "lists=merge" in text else 0
    first |= 16 if "nulls=clear" in text else 32 if "nulls=keep" in text else 0
    return bytes([first, 0, 0])


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}


def with_markers(sides):
    """What git leaves of two texts that share nothing."""
    lines = [side if side.endswith(b"\n") or not side else side + b"\n" for side in sides]
    return (b"<<<<<<< local\n" + lines[2] + b"||||||| original\n" + lines[0]
            + b"=======\n" + lines[1] + b">>>>>>> updated\n")


def main(target):
    seen = {}
    cases = {readme.parent for readme in (ROOT / "testdata").rglob("README.md")}
    for case in sorted(case for case in cases if cases.isdisjoint(case.parents)):
        sides = [files(case / side) for side in SIDES]
        paths = sorted(set().union(*sides))
        for path in paths:
            texts = [side.get(path, b"") for side in sides]
            for text in texts:
                seen.setdefault(("tree", text), f"{case.name}")
            if all(texts) or len(paths) == 1:
                resource = bytes([4]) if b"kind:" in texts[2] else bytes([0])
                seen.setdefault(("merge", options(case)[:2] + resource + b"\xff".join(texts)), case.name)
                seen.setdefault(("solve", with_markers(texts)), case.name)
        parts = []
        for number, path in enumerate(paths):
            name = NAMES.index(path) if path in NAMES else number % 4
            for bit, side in enumerate(sides):
                if path in side:
                    parts.append(bytes([1 << bit, name]) + side[path])
        if parts and len(parts) <= 12:
            seen.setdefault(("package", options(case) + b"\xff".join(parts)), case.name)
    for number, ((kind, content), name) in enumerate(seen.items()):
        if len(content) <= LONGEST:
            folder = target / kind
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}-{number}").write_bytes(content)


main(pathlib.Path(sys.argv[1]))
