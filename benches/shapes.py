"""The shapes that `make growth` measures: each has a command and input files of variable size.

The text of a shape is a function of its size `n` and of the side: `o` for original, `u` for
updated, `l` for local. It is one file or a dictionary of files. The same size gives the same bytes.
"""
import dataclasses
import json
from typing import Callable


@dataclasses.dataclass
class Shape:
    name: str
    text: Callable  # (n, side) -> the text of `file`, or {path: text}
    command: str = "merge"
    arguments: tuple = ()
    file: str = "a.yaml"
    size: int = 400  # the first size to try
    quadratic: str = ""  # why the cost cannot be linear


SHAPES = []
# lines are compared as git compares them
MYERS = "Myers' diff takes lines times changed lines, up to a limit, as in git"


def shape(name, text, *arguments, **how):
    SHAPES.append(Shape(name, text, arguments=arguments, **how))


def by(side, original, updated, local):
    return {"o": original, "u": updated, "l": local}[side]


def each(line, head="", end="", joint=""):
    """Returns a text function that joins `line(number, side)` for n numbers."""
    return lambda n, side: head + joint.join(line(at, side) for at in range(n)) + end


def changed(at, side, every=3):
    """Returns a value that upstream and local change for different numbers `at`."""
    return by(side, "old", "new" if at % every == 0 else "old", "own" if at % every == 1 else "old")


def apart(at, side):
    """Returns a value that both sides change, differently."""
    return by(side, "old", "new", "own") + str(at)


def arriving(line, base="", end=""):
    """Returns a text function in which both sides add n pieces at the same place."""
    def text(n, side):
        return base + "".join(line(side, at) for at in range(n) if side != "o") + end
    return text


def joined(line, head, end, joint=", "):
    """Returns a text function with n pieces that all sides have, then n that only one side has."""
    def text(n, side):
        own = [line(f"{side}{at}") for at in range(n)] if side != "o" else []
        return head + joint.join([line(f"x{at}") for at in range(n)] + own) + end
    return text


# maps
shape("map, changed here and there", each(lambda at, side: f"key{at}: {changed(at, side)}\n"))
shape("map, conflicts everywhere", each(lambda at, side: f"key{at}: {apart(at, side)}\n"))
shape("map, both add fields at one place", arriving(lambda side, at: f"{side}{at}: 1\n", "a: 1\n", "z: 1\n"))
shape("map below a field, both add fields at its end", arriving(lambda side, at: f"  {side}{at}: 1\n", "a:\n  b: 1\n"))
shape("map, both add fields everywhere", each(lambda at, side: f"key{at}: 1\n" + by(side, "", f"u{at}: 1\n", f"l{at}: 1\n")))
shape("map, upstream deletes fields", each(lambda at, side: "" if side == "u" and at % 2 else f"key{at}: {'own' if side == 'l' and at % 5 == 0 else 'old'}\n"))
shape("map, deleted locally, changed upstream", each(lambda at, side: "" if side == "l" and at % 2 else f"key{at}: {by(side, 1, 2, 1)}\n"))
shape("map, deleted upstream, changed locally", each(lambda at, side: "" if side == "u" and at % 2 else f"key{at}: {by(side, 1, 1, 2)}\n"))
shape("map, order changed upstream", lambda n, side: "".join(f"key{at}: {changed(at, side)}\n" for at in (reversed(range(n)) if side == "u" else range(n))))
shape("map, keys renamed upstream", each(lambda at, side: f"{by(side, 'key', 'name', 'key')}{at}:\n  a: {at}\n  b: {changed(at, side)}\n  c: x{at}\n  d: y\n"))
shape("maps in a map", each(lambda at, side: f"key{at}:\n  a: {changed(at, side)}\n  b: {{c: 1, d: {changed(at + 1, side)}}}\n", "top: 1\n"))
shape("maps in maps, a hundred deep", each(lambda at, side: "".join(f"{'  ' * deep}k{deep if deep else at}:\n" for deep in range(100)) + f"{'  ' * 100}a: {changed(at, side)}\n"), size=1)
shape("flow maps in flow maps, two hundred deep", each(lambda at, side: f"a{at}: " + "{k: 1, v: " * 200 + changed(at, side) + "}" * 200 + "\n"), size=2)
shape("explicit keys", each(lambda at, side: f"? key{at}\n: {changed(at, side)}\n"))
shape("quoted keys and values", each(lambda at, side: f"\"key{at}\": '{changed(at, side)}'\n"))
shape("anchors and aliases", each(lambda at, side: f"a{at}: &a{at} {{x: {changed(at, side)}}}\nb{at}: *a{at}\n"), size=100)
shape("merge keys", each(lambda at, side: f"a{at}:\n  <<: *base\n  x: {changed(at, side)}\n", "base: &base\n  y: 1\n"), size=100)
shape("tags", each(lambda at, side: f"a{at}: !own {changed(at, side)}\nb{at}: !!str 1\n"))

# JSON and flow style
shape("JSON on one line, one entry added upstream", lambda n, side: "{" + '"new": 1, ' * (side == "u") + ", ".join(f'"key{at}": {2 if side == "l" and at == n // 2 else 1}' for at in range(n)) + "}\n", file="a.json")
shape("JSON on one line, changed here and there", each(lambda at, side: f'"key{at}": "{changed(at, side)}"', "{", "}\n", ","), file="a.json")
shape("JSON on one line, both add entries", joined(lambda name: f'"{name}": 1', "{", "}\n"), file="a.json")
shape("JSON on lines, changed here and there", lambda n, side: json.dumps({f"key{at}": {"a": changed(at, side), "b": [1, 2]} for at in range(n)}, indent=2) + "\n", file="a.json")
shape("JSON on lines, both add entries", joined(lambda name: f'  "{name}": 1', "{\n", "\n}\n", ",\n"), file="a.json")
shape("flow map on one line, conflicts everywhere", each(lambda at, side: f"key{at}: {apart(at, side)}", "a: {", "}\n", ", "))
shape("flow map on one line, upstream deletes", lambda n, side: "a: {" + ", ".join(f"key{at}: {2 if side == 'l' and at % 4 == 0 else 1}" for at in range(n) if side != "u" or at % 2 == 0) + "}\n")
shape("flow map on lines, comments in it", each(lambda at, side: f"  # {changed(at, side)}\n  key{at}: {changed(at + 1, side)},\n", "a: {\n", "}\n"))
shape("flow list of numbers on one line", lambda n, side: "a: [" + ", ".join(["0"] * (side == "u") + [str(at) for at in range(n)]) + "]\nb: " + by(side, "1", "1", "2") + "\n")
shape("flow list on one line, both add, as sets", joined(str, "a: [", "]\n"), "--lists", "set")
shape("flow list on one line, merged", joined(str, "a: [", "]\n"), "--lists", "merge")
shape("flow list of short maps", each(lambda at, side: f"{{name: n{at}, v: {changed(at, side)}}}", "a: [", "]\n", ", "))

# lists
NAMED = lambda at, side: f"- name: n{at}\n  value: {changed(at, side)}\n"
shape("keyed list, changed here and there", each(NAMED, "a:\n"))
shape("keyed list, conflicts everywhere", each(lambda at, side: f"- name: n{at}\n  value: {apart(at, side)}\n", "a:\n"))
shape("keyed list, both add elements at one place", arriving(lambda side, at: f"- name: {side}{at}\n  value: 1\n", "a:\n- name: first\n", "- name: last\n"))
shape("keyed list, both add elements everywhere", each(lambda at, side: f"- name: n{at}\n" + by(side, "", f"- name: u{at}\n", f"- name: l{at}\n"), "a:\n"))
shape("keyed list, upstream removes elements", lambda n, side: "a:\n" + "".join(NAMED(at, side) for at in range(n) if side != "u" or at % 2), quadratic=MYERS)
shape("keyed list, removed upstream, changed locally", lambda n, side: "a:\n" + "".join(f"- name: n{at}\n  value: {by(side, 1, 1, 2)}\n" for at in range(n) if side != "u" or at % 2))
shape("keyed list, upstream reverses the order", lambda n, side: "a:\n" + "".join(NAMED(at, side) for at in (reversed(range(n)) if side == "u" else range(n))))
shape("list keyed by two fields", each(lambda at, side: f"- port: {at // 2}\n  protocol: {'TCP' if at % 2 else 'UDP'}\n  x: {changed(at, side)}\n", "ports:\n"))
shape("list keyed by a field of one's own", each(lambda at, side: f"- id: n{at}\n  value: {changed(at, side)}\n", "a:\n"), "--key", "id")
shape("keyed elements renamed upstream", each(lambda at, side: f"- name: {by(side, 'a', 'b', 'a')}{at}\n  x: {at}\n  y: {changed(at, side)}\n  z: q{at}\n  w: r\n", "a:\n"))
shape("list of texts, one value", each(lambda at, side: f"- {changed(at, side)}{at}\n", "a:\n"))
shape("list of texts, replaced", each(lambda at, side: f"- {changed(at, side)}{at}\n", "a:\n"), "--lists", "replace")
shape("list of texts, both add, as sets", joined(lambda name: f"- {name}\n", "a:\n", "", ""), "--lists", "set")
shape("list of texts, merged", each(lambda at, side: f"- {changed(at, side, 7)}{at}\n", "a:\n"), "--lists", "merge")
shape("list of texts, merged, conflicts everywhere", each(lambda at, side: f"- x{at}\n- {apart(at, side)}\n", "a:\n"), "--lists", "merge")
shape("list of texts, merged, both add everywhere", each(lambda at, side: f"- x{at}\n" + by(side, "", f"- u{at}\n", f"- l{at}\n"), "a:\n"), "--lists", "merge")
shape("list of texts, merged, both add at the end", joined(lambda name: f"- {name}\n", "a:\n", "", ""), "--lists", "merge")
shape("list of texts, merged, all differ", each(lambda at, side: f"- {apart(at, side)}\n", "a:\n"), "--lists", "merge")
shape("list of maps without a key", each(lambda at, side: f"- x: {at}\n  y: {changed(at, side, 7)}\n", "a:\n"), "--lists", "merge")
shape("list of maps without a key, every other one moved upstream", lambda n, side: "a:\n" + "".join(f"- run: step{at}\n  size: {3 if side == 'l' and at % 3 == 0 else 1}\n" for at in (sorted(range(n), key=lambda at: (at % 2, at)) if side == "u" else range(n))))
shape("list of maps without a key, one value", each(lambda at, side: f"- x: {at}\n  y: {changed(at, side, 7)}\n", "a:\n"))
shape("lists in a list", each(lambda at, side: f"- - {at}\n  - {changed(at, side, 7)}\n", "a:\n"), "--lists", "merge")
shape("lists in lists, two hundred deep", each(lambda at, side: "- " + "[0, " * 200 + changed(at, side) + "]" * 200 + "\n", "a:\n"), "--lists", "merge", size=2)
shape("a list at the top", each(lambda at, side: f"- name: n{at}\n  value: {changed(at, side)}\n"))

# scalars
BLOCK = lambda at, side: f"  line {at} {changed(at, side, 7)}\n"
shape("block scalar, both change lines", each(BLOCK, "a: |\n"))
shape("block scalar, conflicts everywhere", each(lambda at, side: f"  line {at}\n  {apart(at, side)}\n", "a: |\n"))
shape("block scalar, all lines differ", each(lambda at, side: f"  {apart(at, side)}\n", "a: |\n"))
shape("block scalar that is YAML", each(lambda at, side: f"  key{at}: {changed(at, side, 2)}\n", "a: |\n"))
shape("folded scalar", each(BLOCK, "a: >\n"))
shape("quoted scalar of many lines", each(BLOCK, 'a: "\n', '  end"\n'))
shape("plain scalar of many lines", each(BLOCK, "a:\n"))
shape("many block scalars", each(lambda at, side: f"a{at}: |\n  one\n  {changed(at, side, 2)}\n  two\n"), quadratic=MYERS)
shape("images", each(lambda at, side: f"a{at}:\n  image: {by(side, 'docker.io/app:1', 'docker.io/app:2', 'mirror/app:1')}\n"))
shape("quotes that upstream changes", each(lambda at, side: f"a{at}: {by(side, 'x', chr(39) + 'x' + chr(39), 'x')}\nb{at}: {changed(at, side)}\n"))
shape("one long line", lambda n, side: "a: \"" + "x" * 50 * n + by(side, "1", "2", "1") + "\"\nb: " + by(side, "1", "1", "2") + "\n")

# comments and blank lines
shape("comments above fields", each(lambda at, side: f"# about {at}: {changed(at, side)}\nkey{at}: {changed(at + 1, side)}\n"))
shape("comments that both sides rewrite", each(lambda at, side: f"# {apart(at, side)}\nkey{at}: 1\n"))
shape("comments at one place, both add", arriving(lambda side, at: f"# {side} {at}\n", "a: 1\n", "z: 1\n"))
shape("comments at one place, both rewrite", each(lambda at, side: f"# {apart(at, side)}\n", "a: 1\n", "z: 1\n"))
shape("comments at one place, changed here and there", each(lambda at, side: f"# {at} {changed(at, side)}\n", "a: 1\n", "z: 1\n"), size=5000)
shape("comments of moved entries", lambda n, side: "".join(f"# about {at}\nkey{at}: {changed(at, side)}\n" for at in (reversed(range(n)) if side == "u" else range(n))))
shape("the same comment everywhere, upstream deletes fields", each(lambda at, side: "" if side == "u" and at % 2 else f"# same\nkey{at}: {'own' if side == 'l' and at % 6 == 0 else 1}\n"), quadratic=MYERS)
shape("the same comment above new fields on both sides", each(lambda at, side: f"key{at}: {'own' if side == 'l' else 1}\n" + by(side, "", f"# same\nu{at}: 1\n", f"# same\nl{at}: 1\n")))
shape("comments below a list that both sides change", lambda n, side: f"a:\n  - x: {by(side, 1, 1, 3)}\n  # {side}\n  - y: {by(side, 1, 2, 1)}\n" + "".join(f"# {at}\n" for at in range(n)) + "z: 1\n")
shape("own comments above fields, upstream deletes them", each(lambda at, side: by(side, f"# {at}\nkey{at}: 1\n", "", f"# own {at}\nkey{at}: 1\n"), "a: 1\n"))
shape("comments above fields that upstream replaces by ones that local has elsewhere", lambda n, side: "".join(f"z{at}: 1\n# {at}\n{'y' if side == 'u' else 'x'}{at}: 1\n" for at in range(n)) + "".join(f"y{at}: 1\n" for at in range(n) if side == "l"))
shape("maps that local copies, upstream adds comments", each(lambda at, side: "".join(
    f"{name}{at}:\n  w: 1\n" + by(side, "", "  # new\n", "") * (name == "a") + "  x: 1\n" + "  y: 1\n" * (side != "l" or name == "b") + "  z: 1\n"
    for name in ("ab" if side == "l" else "a"))))
shape("comments in lists", each(lambda at, side: f"# {changed(at, side)}\n- name: n{at}\n  # {changed(at + 1, side)}\n  value: 1\n", "a:\n"))
shape("comments behind values", each(lambda at, side: f"key{at}: {changed(at, side)} # {changed(at + 1, side)}\n"))
shape("fields that upstream turns into comments", each(lambda at, side: ("# " if side == "u" and at % 2 else "") + f"key{at}: {'own' if side == 'l' and at % 6 == 0 else 1}\n"))
shape("blank lines", each(lambda at, side: f"key{at}: 1\n" + "\n" * (1 + (side == "u" and at % 3 == 0) + (side == "l" and at % 3 == 1))))
shape("many blank lines at one place", lambda n, side: "a: " + by(side, "1", "2", "1") + "\n" + "\n" * n + "b: " + by(side, "1", "1", "2") + "\n")
shape("pinned fields", each(lambda at, side: f"key{at}: {by(side, 1, 2, 3)} # merge3: keep\n"))
shape("indentation changed upstream", each(lambda at, side: f"key{at}:\n{by(side, '  ', '    ', '  ')}a: {changed(at, side)}\n"))
shape("CRLF", each(lambda at, side: f"# {at}\r\nkey{at}: {changed(at, side)}\r\n"))
