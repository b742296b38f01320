#!/usr/bin/env python3
"""Runs merge3 on real packages and prints a line for each check; the exit status is 1 if one fails.

    make real REAL=../shared/real

REAL has `kubeflow/{old,new}` and `kube-prometheus/{old,new,local,local-all}`. Needs nothing but Python 3's own library.
"""
import argparse
import collections
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import yaml
except ImportError:
    yaml = None

MISSING = object()
# a step of a path: a name, a name in quotes, or what picks an element
STEP = re.compile(r'\.?([^.\[\]]+)|\[("(?:[^"\\]|\\.)*")\]|\[([^\]"]+)\]')
SECONDS = {"local": 0.15, "local-all": 0.3}
MEGABYTES = 120
RUNS = 5

failed = 0


def check(name, problems):
    """One line for a check, and up to ten for what is wrong."""
    global failed
    problems = list(problems)
    print(f"{'FAIL' if problems else 'ok  '}  {name}")
    for problem in problems[:10]:
        print(f"        {problem}")
    if len(problems) > 10:
        print(f"        and {len(problems) - 10} more")
    failed += bool(problems)


def files(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def merge(program, old, new, into, *options):
    """Runs the program; returns its exit status, its two outputs, the seconds and the peak memory in megabytes."""
    command = [program, "--ancestor", old, "--from", new, "--to", into, *options]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read().decode(), err.read().decode(), seconds, usage.ru_maxrss / 1024


def run(program, old, new, source, there, *options):
    """Merges into a copy of `source`; returns (the copy, what merge() returns)."""
    into = pathlib.Path(tempfile.mkdtemp(dir=there)) / source.name
    shutil.copytree(source, into, symlinks=True)
    return into, merge(program, old, new, into, *options)


def ended_well(result):
    status, _, err, *_ = result
    return [] if status == 0 else [f"exit status {status}: {err.strip()[:300]}"]


def differences(is_, should):
    for path in sorted(is_.keys() | should.keys()):
        if is_.get(path) != should.get(path):
            yield f"{path} differs" if path in is_ and path in should else (
                f"{path} should not be there" if path in is_ else f"{path} is missing")


def nulls(text):
    """The lines of a YAML text that give a field an explicit null: `key: null`, `key: ~`, or `key:` with nothing below."""
    lines, found, block = text.split("\n"), [], None
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if block is not None and (not line.strip() or indent > block):
            continue
        block = indent if re.search(r"(:|-)\s+[|>][-+0-9]*\s*(#.*)?$", line) else None
        field = re.match(r"( *(?:- +)*)[\w./\"'-]+:(\s+(?:null|~))?\s*(#.*)?$", line)
        if not field:
            continue
        below = next((l for l in lines[at + 1:] if l.strip() and not l.strip().startswith("#")), "")
        column = len(field[1])
        deeper = len(below) - len(below.lstrip(" ")) > column
        if field[2] or not (deeper or re.match(r" {%d}-( |$)" % column, below)):
            found.append(line)
    return found


def fast_forward(program, name, root, there):
    """old to new into a copy of old is `new`, but for the nulls that `new` brings in (rules: Nulls)."""
    into, result = run(program, root / "old", root / "new", root / "old", there)
    old, new, merged = files(root / "old"), files(root / "new"), files(into)
    problems, listed = ended_well(result), []
    for difference in differences(merged, new):
        path = difference.split(" ")[0]
        brought = collections.Counter(nulls(new.get(path, b"").decode())) - collections.Counter(
            nulls(old.get(path, b"").decode()))
        if not brought or path not in merged:
            problems.append(difference)
            continue
        lines = difflib.ndiff(merged[path].decode().splitlines(), new[path].decode().splitlines())
        beyond = [line for line in lines if line[0] in "+-" and line[2:] not in brought]
        if beyond:
            problems.append(f"{path} differs in more than the nulls that new brings in: {beyond[0]}")
        listed.append(path)
    check(f"{name}: old to new into old is new, byte for byte ({len(merged)} files, {len(listed)} with nulls)", problems)
    for path in listed:
        print(f"        null brought in by new: {path}")


def no_byte(program, name, root, side, source, there):
    into, result = run(program, root / side, root / side, root / source, there)
    problems = ended_well(result) + list(differences(files(into), files(root / source)))
    check(f"{name}: {side} to {side} into {source} changes nothing", problems)


def namespace(program, name, root, given, there):
    """old with another namespace in every file becomes new with that namespace."""
    def renamed(side):
        into = pathlib.Path(tempfile.mkdtemp(dir=there)) / side
        shutil.copytree(root / side, into)
        for path in into.rglob("*.yaml"):
            text = path.read_bytes()
            path.write_bytes(re.sub(rb"(?m)^( *(?:- )?namespace: )%s$" % given, rb"\1elsewhere", text))
        return into
    into, result = run(program, root / "old", root / "new", renamed("old"), there)
    problems = ended_well(result) + list(differences(files(into), files(renamed("new"))))
    check(f"{name}: old in another namespace becomes new in that namespace", problems)


def comments(lines):
    """The comments of YAML lines, by a look at the text that is good enough for the files at hand."""
    return collections.Counter(
        found[1].strip() for line in lines if (found := re.search(r"(?:^|\s)(#.*)$", line)))


def local_lines(old, local, merged, came_from):
    """What the fork wrote, its comments and blank lines, and is not in the merged package any more."""
    for path, content in local.items():
        before = old.get(came_from.get(path, path), b"").decode().splitlines()
        ours, result = content.decode().splitlines(), merged.get(path, b"").decode().splitlines()
        if before == ours:
            continue
        added = set()
        for tag, _, _, start, end in difflib.SequenceMatcher(None, before, ours, autojunk=False).get_opcodes():
            if tag in ("replace", "insert"):
                added.update(range(start, end))
        lost = comments(ours[at] for at in added) - comments(result)
        yield from (f"{path}: lost {comment!r}" for comment in lost)
        for tag, start, end, _, _ in difflib.SequenceMatcher(None, ours, result, autojunk=False).get_opcodes():
            if tag in ("replace", "delete"):
                yield from (f"{path}:{at + 1}: lost a blank line" for at in range(start, end)
                            if at in added and not ours[at].strip())


def fork(program, root, there):
    """kube-prometheus, old to new into the fork."""
    name = "kube-prometheus, old to new into local"
    into, result = run(program, root / "old", root / "new", root / "local", there)
    old, new, local, merged = (files(folder) for folder in (root / "old", root / "new", root / "local", into))
    check(f"{name}: ends with status 0", ended_well(result))

    moved = "exporters/kubeStateMetrics-deployment.yaml"
    problems = [] if merged.get(moved) == new["kubeStateMetrics-deployment.yaml"] else [f"{moved} is not what new has"]
    if "kubeStateMetrics-deployment.yaml" in merged:
        problems.append("kubeStateMetrics-deployment.yaml came back")
    check(f"{name}: the moved file is updated where it is", problems)

    folded = (b"# folded together by hand\n" + new["blackboxExporter-service.yaml"] + b"---\n"
              + new["blackboxExporter-serviceAccount.yaml"])
    problems = [] if merged["blackboxExporter.yaml"] == folded else ["blackboxExporter.yaml is not the two files of new"]
    problems += [f"{path} came back" for path in ("blackboxExporter-service.yaml", "blackboxExporter-serviceAccount.yaml")
                 if path in merged]
    check(f"{name}: the folded file is updated in both documents", problems)

    gone = "grafana-networkPolicy.yaml"
    check(f"{name}: the deleted file stays deleted", [f"{gone} came back"] if gone in merged else [])

    crlf = "prometheus-service.yaml"
    should = new[crlf].replace(b"\n", b"\r\n")
    check(f"{name}: the CRLF file stays CRLF", [] if merged[crlf] == should else [f"{crlf} is not that of new with CRLF"])

    came_from = {moved: "kubeStateMetrics-deployment.yaml"}
    check(f"{name}: every local comment and blank line is there", local_lines(old, local, merged, came_from))
    own = [path for path in local if path not in old and path not in came_from and path != "blackboxExporter.yaml"]
    check(f"{name}: the fork's own files stay ({', '.join(own)})",
          [f"{path} differs" for path in own if merged.get(path) != local[path]])

    def image(package):
        return re.search(r"^  image: (\S+)", package["prometheus-prometheus.yaml"].decode(), re.M)[1]

    mirror = image(local).rsplit(":", 1)[0]
    should = f"{mirror}:{image(new).rsplit(':', 1)[1]}"
    problems = [] if image(merged) == should else [f"the image is {image(merged)}, not {should}"]
    told = run(program, root / "old", root / "new", root / "local", there, "--dry-run", "-v")[1][1].splitlines()
    lines = [line for line in told if line.startswith("combined prometheus-prometheus.yaml") and "spec.image" in line]
    problems += [] if len(lines) == 1 else [f"{len(lines)} lines of the summary speak of it"]
    check(f"{name}: the mirrored image has the new tag, and that is told", problems)

    again = merge(program, root / "old", root / "new", into)
    check(f"{name}: running it again changes nothing", ended_well(again) + list(differences(files(into), merged)))


def value_at(documents, record):
    """The value that a record's path stands for in one side's documents; MISSING where there is none."""
    wanted = record["resource"]
    for path, identity, data in documents:
        if wanted and identity != (wanted["kind"], wanted["namespace"], wanted["name"]) or not wanted and path != record["file"]:
            continue
        for step in STEP.finditer(record["path"]):
            field, quoted, pairs = step.groups()
            if pairs is None:
                field = json.loads(quoted) if quoted else field
                data = data.get(field, MISSING) if isinstance(data, dict) else MISSING
            elif pairs.isdigit():
                data = data[int(pairs)] if isinstance(data, list) and int(pairs) < len(data) else MISSING
            else:
                keys = dict(pair.split("=", 1) for pair in pairs.split(","))
                found = [element for element in data if isinstance(element, dict)
                         and all(str(element.get(key)) == value for key, value in keys.items())] if isinstance(data, list) else []
                data = found[0] if found else MISSING
            if data is MISSING:
                break
        return data
    return MISSING


def every_document(root):
    """What PyYAML reads in a package: path, (kind, namespace, name) and data of each document."""
    for path, content in files(root).items():
        if path.endswith((".yaml", ".yml")):
            for data in yaml.load_all(content, Loader=yaml.BaseLoader):
                if isinstance(data, dict):
                    metadata = data.get("metadata") or {}
                    yield path, (data.get("kind"), metadata.get("namespace", ""), metadata.get("name")), data


def contrary(root, there):
    """A fork that changed every line `key: value` of old that new changed too, and not alike: conflicts everywhere."""
    into = pathlib.Path(tempfile.mkdtemp(dir=there)) / "contrary"
    for path, content in files(root / "old").items():
        new = root / "new" / path
        kept = set(new.read_text().splitlines()) if new.exists() else set()
        lines = [line + "-fork" if line not in kept and re.search(r"[\w-]: [\w./:-]+$", line)
                 and not re.match(r"(apiVersion|kind|  name):", line) else line for line in content.decode().splitlines()]
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        (into / path).write_text("\n".join(lines) + "\n")
    return into


def records(program, root, fork, least):
    """Every value of every conflict record, compared with what PyYAML finds at its path in the three packages."""
    name = f"kube-prometheus, old to new into {fork.name}: the values of every conflict are those of the files"
    if yaml is None:
        print(f"skip  {name} (PyYAML is not installed)")
        return
    ran = subprocess.run([program, "--ancestor", root / "old", "--from", root / "new", "--to", fork,
                          "--dry-run", "--report", "json"], capture_output=True, text=True)
    report = json.loads(ran.stdout)
    sides = {"original": root / "old", "updated": root / "new", "local": fork}
    packages = {side: list(every_document(folder)) for side, folder in sides.items()}
    problems, compared = [], 0
    for record in report["conflicts"] + report.get("combined", []):
        if record["hidden"] or record.get("kind") in ("text", "binary") or record["path"].endswith(" (comment)"):
            continue
        for side, told in record["values"].items():
            found = value_at(packages[side], record)
            if found is MISSING:  # the path has local's name of an element that the fork renamed
                found = value_at(packages[side], record | {"path": record["path"].replace("-fork", "")})
            told = MISSING if told is None else yaml.load(told, Loader=yaml.BaseLoader)
            compared += 1
            if found != told:
                problems.append(f"{record['file']}:{record['line']}: {record['path']}: {side} is {str(found)[:80]}, told is {str(told)[:80]}")
    if len(report["conflicts"]) < least:
        problems.append(f"less than {least} conflicts")
    check(f"{name} ({len(report['conflicts'])} conflicts, {compared} values)", problems)


def timing(program, root, source, there):
    runs = [run(program, root / "old", root / "new", root / source, there)[1] for _ in range(RUNS)]
    seconds, memory = min(r[3] for r in runs), max(r[4] for r in runs)
    problems = ended_well(runs[0])
    if seconds > SECONDS[source]:
        problems.append(f"more than {SECONDS[source]} s")
    if memory > MEGABYTES:
        problems.append(f"more than {MEGABYTES} MB")
    check(f"kube-prometheus, old to new into {source}: {seconds:.3f} s (best of {RUNS}), {memory:.0f} MB", problems)


def spans(program, real):
    if not program.exists():
        check(f"{program} is built (cargo build --examples)", ["it is missing"])
        return
    ran = subprocess.run([program, real], capture_output=True, text=True)
    lines = ran.stdout.strip().splitlines() or ["nothing was said"]
    check(f"spans and gaps joined are the file again: {lines[-1]}", lines[:-1] if ran.returncode else [])
    if ran.returncode and len(lines) == 1:
        check("the spans example runs", [ran.stderr.strip()[:300]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="the folder with the binary `merge3` and `examples/spans`")
    parser.add_argument("--real", required=True, help="the folder with the packages")
    arguments = parser.parse_args()
    real = pathlib.Path(arguments.real).resolve()
    binaries = pathlib.Path(arguments.bin).resolve()
    if not (real / "kube-prometheus").is_dir():
        sys.exit(f"real.py: there is no kube-prometheus in {real}; give the folder with REAL=FOLDER")
    program = binaries / "merge3"
    with tempfile.TemporaryDirectory() as there:
        kubeflow, prometheus = real / "kubeflow", real / "kube-prometheus"
        no_byte(program, "kubeflow", kubeflow, "old", "new", there)
        no_byte(program, "kubeflow", kubeflow, "new", "old", there)
        fast_forward(program, "kubeflow", kubeflow, there)
        fast_forward(program, "kube-prometheus", prometheus, there)
        namespace(program, "kube-prometheus", prometheus, b"monitoring", there)
        fork(program, prometheus, there)
        records(program, prometheus, prometheus / "local", 1)
        records(program, prometheus, prometheus / "local-all", 0)
        records(program, prometheus, contrary(prometheus, there), 50)
        spans(binaries / "examples" / "spans", real)
        timing(program, prometheus, "local", there)
        timing(program, prometheus, "local-all", there)
    print(f"{failed} checks failed" if failed else "all checks passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
