#!/usr/bin/env python3
"""Draw what merge3 prints for two files of testdata/demo: docs/demo.svg a merge, docs/review.svg a review, driven in a terminal.
With --check, fail where a picture is not that. With --page, write the report as a page there, for docs/picture.mjs."""
import argparse, html, os, pathlib, pty, re, shutil, subprocess, sys, tempfile, termios

HERE = pathlib.Path(__file__).parent
FILES = {"original": "v1", "updated": "v2", "local": "fork"}
COMMANDS = ["merge3 --ancestor v1 --from v2 --to fork --diff", "merge3 --ancestor v1 --from v2 --to fork"]
REVIEW = "merge3 review --ancestor v1 --from v2 --to fork"
KEYS = "rltpy"
CONTESTED = [("replicas: 2", "replicas: 3"), ('"USD"', '"GBP"')]
COLORS = {"1": "#ffffff", "31": "#ff8080", "32": "#80e080", "36": "#70c8e8", "33": "#e8d070"}
WIDTH, LINE, LETTER = 80, 18, 8.4


def packages(folder):
    for side, name in FILES.items():
        for path in (HERE.parent / "testdata/demo" / side).rglob("*.yaml"):
            if path.name in ("deployment.yaml", "service.yaml"):
                there = pathlib.Path(folder, name, path.relative_to(HERE.parent / "testdata/demo" / side))
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, there)


def contested(folder):
    """The same, with changes upstream that the fork does not agree with."""
    packages(folder)
    there = pathlib.Path(folder, "v2", "deployment.yaml")
    text = there.read_text()
    for old, new in CONTESTED:
        assert old in text, old
        text = text.replace(old, new)
    there.write_text(text)


def review(program):
    """The lines of a terminal in which somebody reviews a merge, with colour codes."""
    with tempfile.TemporaryDirectory() as folder:
        contested(folder)
        command = [program, *REVIEW.split()[1:], "--color", "always"]
        main, side = pty.openpty()
        # keys are shown by the program, and not by the terminal as well where they come early
        settings = termios.tcgetattr(side)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(side, termios.TCSANOW, settings)
        run = subprocess.Popen(command, cwd=folder, stdin=side, stdout=side, stderr=side, env={**os.environ, "TERM": "xterm"})
        os.close(side)
        told, keys = b"", list(KEYS)
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            told += piece
            # a question ends without a line break
            if keys and told.endswith(b"]? "):
                os.write(main, keys.pop(0).encode())
        run.wait()
        return [f"$ {REVIEW}", *told.decode().replace("\r\n", "\n").splitlines()]


def record(program):
    """The lines of a terminal, with colour codes."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        packages(folder)
        for command in COMMANDS:
            run = subprocess.run([program, *command.split()[1:], "--color", "always"], cwd=folder, check=True, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            lines += [f"$ {command}", *run.stdout.splitlines(), ""]
    return lines[:-1]


def draw(lines, title):
    height = LINE * (len(lines) + 2)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {round(WIDTH * LETTER)} {height}" '
           'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">')
    yield f"<title>{title}</title>"
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
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.page:
        with tempfile.TemporaryDirectory() as folder:
            contested(folder)
            command = [*COMMANDS[1].split()[1:], "--quiet", "--report", "html", "--report-file", arguments.page.resolve()]
            subprocess.run([arguments.bin, *command], cwd=folder, check=True)
    for name, lines, title in (("demo.svg", record(arguments.bin), "merge3 upgrades a fork"),
                               ("review.svg", review(arguments.bin), "merge3 review asks about a conflict")):
        picture, there = "\n".join(draw(lines, title)) + "\n", HERE / name
        if not arguments.check:
            there.write_text(picture)
        elif there.read_text() != picture:
            sys.exit(f"docs/{name} is not what merge3 prints: run make picture")


if __name__ == "__main__":
    main()
