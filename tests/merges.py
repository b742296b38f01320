#!/usr/bin/env python3
"""Replay real merges with git, mergiraf (where it is installed) and merge3, and hold merge3 to its figures.

Fails where merge3 has fewer right results than it had, more wrong ones, a broken one, or a conflict where git has none.
"""
import argparse, re, shutil, subprocess, sys

RIGHT, WRONG = 181, 4


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--tool", "--merges", "--bin"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    driver = f"{args.bin} git driver {{base}} {{out}} {{theirs}} --path {{path}}"
    tools = ["git"] + ["mergiraf"] * bool(shutil.which("mergiraf")) + [driver]
    run = lambda *tools, **env: subprocess.run(
        ["env", *(f"{k}={v}" for k, v in env.items()), sys.executable, args.tool, args.merges, *tools],
        check=True, capture_output=True, text=True).stdout
    parts = dict(GIT_CONFIG_COUNT=1, GIT_CONFIG_KEY_0="merge3.images", GIT_CONFIG_VALUE_0="parts")
    out = run(*tools)
    print(out, end="")
    print("with merge3.images=parts:", run("git", driver, **parts), sep="\n", end="")
    ours = {key: int(n) for key, n in re.findall(r"(\w+) (\d+)", out.splitlines()[-1])}
    right = run("git", driver, SHOW="right")
    cases = {name: set(re.findall(rf"^right: (\S+) \({re.escape(name)}\)$", right, re.M)) for name in ("git", args.bin)}
    lost = sorted(cases["git"] - cases[args.bin])
    if lost:
        print("right with git, and not with merge3:", *lost)
    if lost or ours["right"] < RIGHT or ours["wrong"] > WRONG or ours["broken"]:
        sys.exit(f"make merges: expected at least {RIGHT} right, at most {WRONG} wrong, 0 broken, and nothing lost that git has right")


if __name__ == "__main__":
    main()
