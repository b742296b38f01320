// The packages that the pages are about, and the pages, made by the real program.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const HOSTILE = `</pre></details><script>alert(1)</script><img src=x onerror=alert(2)>`;

const config = (name, fields) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n` +
  Object.entries(fields).map(([key, value]) => `  ${key}: ${value}\n`).join("");
const deployment = (image, replicas, args) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: ${replicas}\n  template:\n` +
  `    spec:\n      containers:\n      - name: shop\n        image: ${image}\n        args: [${args}]\n`;

/** Every kind of thing that a page shows: a text for each side; null where it is not there. */
const SMALL = {
  "shop/deployment.yaml": [deployment("shop:1", 1, "--a"), deployment("shop:2", 2, "--b"), deployment("mine/shop:1", 5, "--c")],
  "conf.yaml": ["one two", "one 2", `"${HOSTILE}"`].map((value) => config("conf", { title: value })),
  "pinned.yaml": ["1", "2", "3 # merge3: keep"].map((value) => config("pinned", { size: value })),
  "deleted.yaml": [config("gone", { a: 1 }), config("gone", { a: 2 }), null],
  "new.yaml": [null, config("new", { a: 1 }), null],
  "old.yaml": [config("old", { a: 1 }), null, config("old", { a: 1 })],
  "secret.yaml": ["one", "hunter2", "hunter3"].map(
    (value) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  key: ${value}\n`),
  "notes.txt": ["a\nb\n", "a\nB\n", "a\nc\n"],
  "chart.yaml": ["{{ a }}\nb\nc\n", "{{ a }}\nb\nC\n", "{{ A }}\nb\nc\n"],
  "wide.yaml": ["x", "y", "z"].map((value) => config("wide", { line: value.repeat(400) })),
};

/** A package with `count` conflicts. */
const many = (count) => {
  const files = {};
  for (let file = 0; file < count / 20; file++) {
    const fields = (change) => Object.fromEntries([...Array(20).keys()].map((at) => [`field-${at}`, `value ${change} of ${at}`]));
    files[`app-${file}.yaml`] = ["1", "2", "3"].map((change) => config(`app-${file}`, fields(change)));
  }
  return files;
};

/** The page of a merge, as a file. */
const page = (program, files) => {
  const folder = mkdtempSync(join(tmpdir(), "merge3-e2e-"));
  for (const [path, texts] of Object.entries(files)) {
    texts.forEach((text, side) => {
      const file = join(folder, ["old", "new", "fork"][side], path);
      mkdirSync(join(file, ".."), { recursive: true });
      if (text !== null) writeFileSync(file, text);
    });
  }
  const sides = ["--ancestor", "old", "--from", "new", "--to", "fork"];
  execFileSync(program, [...sides, "--dry-run", "--quiet", "--report", "html", "--report-file", "page.html"], { cwd: folder });
  return join(folder, "page.html");
};

export const small = (program) => page(program, SMALL);
export const large = (program, count) => page(program, many(count));
