#!/usr/bin/env python3
"""Draw docs/demo.svg: what merge3 prints for two files of testdata/demo. With --check, fail where the picture is not that."""
import argparse, html, pathlib, re, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).parent
FILES = {"original": "v1", "updated": "v2", "local": "fork"}
COMMANDS = ["merge3 --ancestor v1 --from v2 --to fork --diff", "merge3 --ancestor v1 --from v2 --to fork"]
COLORS = {"1": "#ffffff", "31": "#ff8080", "32": "#80e080", "36": "#70c8e8", "33": "#e8d070"}
WIDTH, LINE, LETTER = 80, 18, 8.4


def record(program):
    """The lines of a terminal, with colour codes."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for side, name in FILES.items():
            for path in (HERE.parent / "testdata/demo" / side).rglob("*.yaml"):
                if path.name in ("deployment.yaml", "service.yaml"):
                    there = pathlib.Path(folder, name, path.relative_to(HERE.parent / "testdata/demo" / side))
                    there.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, there)
        for command in COMMANDS:
            run = subprocess.run([program, *command.split()[1:], "--color", "always"], cwd=folder, check=True, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            lines += [f"$ {command}", *run.stdout.splitlines(), ""]
    return lines[:-1]


def draw(lines):
    height = LINE * (len(lines) + 2)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {round(WIDTH * LETTER)} {height}" '
           'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">')
    yield "<title>merge3 upgrades a fork</title>"
    yield '<rect width="100%" height="100%" rx="8" fill="#1c2128"/>'
    for number, line in enumerate(lines):
        color, spans = "#c8d0d8", []
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
            if code:
                known = [COLORS[one] for one in code[1].split(";") if one in COLORS]
                color = known[-1] if known else "#c8d0d8"
            elif part:
                spans.append(f'<tspan fill="{color}">{html.escape(part)}</tspan>')
        if spans:
            yield f'<text x="16" y="{LINE * (number + 2) - 6}" xml:space="preserve">{"".join(spans)}</text>'
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=lambda path: shutil.which(path) and pathlib.Path(path).resolve())
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    picture, there = "\n".join(draw(record(arguments.bin))) + "\n", HERE / "demo.svg"
    if not arguments.check:
        there.write_text(picture)
    elif there.read_text() != picture:
        sys.exit("docs/demo.svg is not what merge3 prints: run make picture")


if __name__ == "__main__":
    main()
