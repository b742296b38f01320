"""Shapes of whole packages: documents, files, options and commands. See `shapes.py`."""
import json

from shapes import MYERS, NAMED, apart, by, changed, each, shape


def resource(at, side, kind="ConfigMap", value=None, name=None, more=""):
    name = f"c{at}" if name is None else name
    value = changed(at, side) if value is None else value
    return f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\ndata:\n  a: {value}\n  b: x{at}\n  c: y{at % 7}\n{more}"


def stream(documents):
    return "---\n".join(documents)


def many(one=resource, **how):
    return lambda n, side: stream(one(at, side, **how) for at in range(n))


def files(one=resource, of=10, path="d{}/f{}.yaml"):
    """Returns a text function of n resources, `of` in each file."""
    def package(n, side):
        return {path.format(at // 1000, at): stream(one(it, side) for it in range(at, min(at + of, n))) for at in range(0, n, of)}
    return package


def deployment(at, side):
    """Returns a Deployment as input for `apply`."""
    return (f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d{at}\nspec:\n  replicas: {by(side, 1, 2, 1)}\n  template:\n"
            f"    spec:\n      containers:\n      - name: a\n        image: app:{changed(at, side)}\n"
            f"        ports:\n        - containerPort: 80\n")


# documents and files
shape("resources in one file", many())
shape("resources ten in a file", files())
shape("resources each in a file", files(of=1), size=100)
shape("files that nobody changed", lambda n, side: {**files(lambda at, side: resource(at, "o"))(n, side), "z.yaml": resource(n, side, value=by(side, 1, 2, 1))})
shape("a large file in which few documents differ", lambda n, side: stream(resource(at, side if at % 50 == 0 else "o") for at in range(n)))
shape("resources with conflicts", lambda n, side: stream(resource(at, side, value=apart(at, side)) for at in range(n)), size=100)
shape("resources deleted upstream", lambda n, side: stream(resource(at, side) for at in range(n) if side != "u" or at % 2 == 0))
shape("resources deleted locally, changed upstream", lambda n, side: stream(resource(at, side, value=by(side, 1, 2, 1)) for at in range(n) if side != "l" or at % 2 == 0), size=100)
shape("resources added on both sides", lambda n, side: stream(resource(at, side, name=f"c{at}" if at % 2 or side == "o" else f"{side}{at}") for at in range(n)))
shape("resources moved to other files", lambda n, side: files(path="e{}/f{}.yaml" if side == "l" else "d{}/f{}.yaml")(n, side), size=100)
shape("files that upstream renamed", lambda n, side: {f"{by(side, 'd', 'e', 'd')}/f{at}.yaml": f"a{at}: {changed(at, side)}\n" + "".join(f"f{it}: {at}-{it}\n" for it in range(9)) for at in range(n)}, size=100)
shape("files like one another that upstream renamed", lambda n, side: {f"{by(side, 'd', 'e', 'd')}/f{at}.yaml": f"a: {changed(at, side)}\nb: {at}\n" + "".join(f"f{it}: {it}\n" for it in range(9)) for at in range(n)}, size=100)
shape("resources whose order changed", lambda n, side: stream(resource(at, side) for at in (reversed(range(n)) if side == "u" else range(n))))
shape("resources with other names in the fork", lambda n, side: stream(resource(at, side, name=by(side, "", "", "my-") + f"c{at}") for at in range(n)), size=100)
shape("resources that upstream renamed", lambda n, side: stream(resource(at, side, name=by(side, "a", "b", "a") + str(at)) for at in range(n)), size=100)
shape("resources whose apiVersion changed", lambda n, side: many()(n, side).replace("apiVersion: v1", "apiVersion: v2") if side == "u" else many()(n, side), size=100)
shape("documents without a name", lambda n, side: stream(f"a: {at}\nb: {changed(at, side)}\n" for at in range(n)))
shape("small documents", lambda n, side: stream(f"{changed(at, side)}\n" for at in range(n)))
shape("comments between documents", lambda n, side: stream(f"# head {at} {changed(at, side)}\n\n{resource(at, side)}# end {changed(at + 1, side)}\n" for at in range(n)), size=100)
shape("items of a List", lambda n, side: "apiVersion: v1\nkind: List\nitems:\n" + "".join("- " + resource(at, side).replace("\n", "\n  ").rstrip(" ") for at in range(n)), size=100)
shape("nulls in resources", lambda n, side: stream(resource(at, side, value=by(side, "1", "null", "1" if at % 2 else "2")) for at in range(n)), size=100)
shape("CRDs", lambda n, side: stream(resource(at, side, kind="CustomResourceDefinition", more="spec:\n  x:\n" + "".join(f"    f{it}:\n      type: string\n      description: {changed(it, side)}\n" for it in range(50))) for at in range(n)), size=20)
shape("broken YAML, merged as text", each(lambda at, side: f"a{at}: [{changed(at, side)}\n"), file="a.yaml")
shape("templates, merged as text", each(lambda at, side: f"{{{{- if .x{at} }}}}\na{at}: {changed(at, side)}\n{{{{- end }}}}\n"))
shape("text, changed here and there", each(lambda at, side: f"line {at}\n{changed(at, side)}\nafter {at}\n"), file="a.txt", quadratic=MYERS)
shape("text, conflicts everywhere", each(lambda at, side: f"line {at}\n{apart(at, side)}\n"), file="a.txt")
shape("text, conflicts everywhere, markers", each(lambda at, side: f"line {at}\n{apart(at, side)}\n"), "--on-conflict", "markers", file="a.txt")
shape("text, all lines differ", each(lambda at, side: f"{apart(at, side)}\n"), file="a.txt")
shape("text, the same lines again and again", each(lambda at, side: f"line {at % 7}\n{changed(at, side, 11)}\n"), file="a.txt")
shape("text, upstream reverses the lines", lambda n, side: "".join(f"line {at} {changed(at, side, 9) if side != 'u' else 'old'}\n" for at in (reversed(range(n)) if side == "u" else range(n))), file="a.txt")
shape("binary files", lambda n, side: {f"f{at}.bin": f"\0{changed(at, side)}{at}" for at in range(n)})
shape("an ignore file", lambda n, side: {**files()(n, side), ".krmignore": "".join(f"/ignored{at}/\n" for at in range(50))})

# rules and options
RULE = "- path: spec.none{}\n  take: local\n"
shape("a hundred rules that match nothing", lambda n, side: {"a.yaml": many()(n, side), ".merge3.yaml": "rules:\n" + "".join(map(RULE.format, range(100)))}, size=100)
shape("ever more rules that match nothing", lambda n, side: {"a.yaml": many()(50, side), ".merge3.yaml": "rules:\n" + "".join(map(RULE.format, range(n)))}, size=100)
shape("ever more rules that match", lambda n, side: {"a.yaml": "data:\n" + "".join(f"  key{at}: {apart(at, side)}\n" for at in range(n)), ".merge3.yaml": "rules:\n" + "".join(f"- path: data.key{at}\n  take: local\n" for at in range(n))},
      quadratic="each rule may match each place: patterns have wildcards", size=50)
shape("rules with wildcards", lambda n, side: {"a.yaml": many()(n, side), ".merge3.yaml": "rules:\n- path: '**.a'\n  take: local\n- path: data.*\n  file: 'x/**'\n  take: updated\n"})
for words in (("--on-conflict", "local"), ("--on-conflict", "markers"), ("--on-conflict", "markers", "--conflict-style", "diff3"),
              ("--on-conflict", "markers", "--conflict-style", "zdiff3"), ("--on-conflict", "fail"), ("--diff",), ("--verbose",), ("--dry-run",),
              ("--report", "json"), ("--report", "markdown")):
    shape("conflicts everywhere, " + " ".join(words), each(lambda at, side: f"key{at}:\n  a: 1\n  b: {apart(at, side)}\n"), *words, size=150)
shape("comments that conflict, --on-conflict markers", each(lambda at, side: f"# {apart(at, side)}\nkey{at}: 1\n"), "--on-conflict", "markers")
for words in (("--schema", "kubernetes"), ("--path-merge-key",), ("--nulls", "keep"), ("--yaml-only",), ("--threads", "1"), ("--output", "{there}/out"),
              ("--match", "*.yaml"), ("--check",), ("--quiet",), ("--show-secrets", "--diff")):
    shape("deployments, " + words[0] + " " + " ".join(words[1:]).replace("{there}/", ""), many(deployment), *words, size=100)

# other commands
LINES = each(lambda at, side: f"line{at}: 1\nimage{at}: {changed(at, side)}\nafter{at}: 1\n")
BAD = each(lambda at, side: f"line{at}: 1\nimage{at}: {apart(at, side)}\nafter{at}: 1\n")
for command in "driver", "merge-file":
    shape(f"{command}, clean", LINES, command=command)
    shape(f"{command}, conflicts everywhere", BAD, command=command)
    shape(f"{command}, keyed list", each(NAMED, "a:\n"), command=command)
    shape(f"{command}, both add fields at one place", lambda n, side: "a: 1\n" + "".join(f"{side}{at}: 1\n" for at in range(n) if side != "o") + "z: 1\n", command=command)
    # git merges these texts; for the driver with the histogram diff, as in `git merge`
    shape(f"{command}, text", each(lambda at, side: f"line {at}\n{changed(at, side)}\nafter {at}\n"), command=command, file="a.txt",
          quadratic="git's own histogram diff is" if command == "driver" else "")
shape("driver, --diff3", BAD, "--diff3", command="driver")
shape("solve", lambda n, side: "".join(f"<<<<<<< a\nk{at}: {{x: 1, y: 2}}\n||||||| b\nk{at}: {{x: 1, y: 1}}\n=======\nk{at}: {{x: 2, y: 1}}\n>>>>>>> c\nb{at}: 1\n" for at in range(n)), command="solve")
shape("solve, what cannot be solved", lambda n, side: "".join(f"<<<<<<< a\nk{at}: 1\n||||||| b\nk{at}: 2\n=======\nk{at}: 3\n>>>>>>> c\nb{at}: 1\n" for at in range(n)), command="solve")
shape("explain", lambda n, side: "z:\n" + each(NAMED, "  a:\n")(n, side).replace("\n", "\n  ").rstrip(" "), "a.yaml", "z.a[name=n1].value", command="explain")
shape("apply", many(deployment), command="apply", size=100)
shape("apply, one large object", lambda n, side: resource(0, side, more="".join(f"  k{at}: {changed(at, side)}\n" for at in range(n))), command="apply")
shape("apply, a keyed list", lambda n, side: deployment(0, side) + "".join(f"      - name: c{at}\n        image: app:{changed(at, side)}\n" for at in range(n)), command="apply")
shape("strategic merge patch", many(deployment), command="patch", size=100)
shape("strategic merge patch of one list", lambda n, side: deployment(0, side) + "".join(f"      - name: c{at}\n        image: app:{changed(at, side)}\n" for at in range(n)), command="patch")
shape("JSON merge patch", lambda n, side: resource(0, side, more="".join(f"  k{at}: {changed(at, side)}\n" for at in range(n))), "--type", "merge", command="patch")
shape("JSON patch that replaces", lambda n, side: json.dumps([{"op": "replace", "path": f"/data/k{at}", "value": "new"} for at in range(n)]) if side == "u" else resource(0, "o", more="".join(f"  k{at}: old\n" for at in range(n))),
      "--type", "json", command="patch")
shape("JSON patch that adds and removes", lambda n, side: json.dumps([{"op": "remove", "path": f"/data/k{at}"} if at % 2 else {"op": "add", "path": f"/data/n{at}", "value": "new"} for at in range(n)]) if side == "u" else resource(0, "o", more="".join(f"  k{at}: old\n" for at in range(n))),
      "--type", "json", command="patch")
shape("JSON patch of a list", lambda n, side: json.dumps([{"op": "add", "path": "/data/l/-", "value": at} for at in range(n)]) if side == "u" else resource(0, "o", more="  l:\n" + "".join(f"  - o{at}\n" for at in range(n))), "--type", "json", command="patch", size=100)
shape("JSON patch whose operations need each other", lambda n, side: json.dumps([{"op": "move", "from": f"/data/k{at}", "path": f"/data/n{at}"} for at in range(n)]) if side == "u" else resource(0, "o", more="".join(f"  k{at}: old\n" for at in range(n))),
      "--type", "json", command="patch", quadratic="each operation is carried out on the text that the one before it left", size=50)
for form in "unified", "strategic", "merge", "json":
    shape(f"diff --format {form}", many(deployment) if form in ("unified", "strategic") else lambda n, side: resource(0, side, more="".join(f"  k{at}: {changed(at, side)}\n" for at in range(n))), "--format", form, command="diff", size=100)
shape("diff --format json of lists", lambda n, side: resource(0, side, more="  l:\n" + "".join(f"  - x{at}{changed(at, side)}\n" for at in range(n))), "--format", "json", command="diff")
