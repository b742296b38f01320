// `--report html` in a real Chromium: BIN is the program, CHROMIUM the browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { HOSTILE, large, small } from "./packages.mjs";

const COUNT = 2000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser, page_small, page_large;

before(async () => {
  page_small = small(process.env.BIN);
  page_large = large(process.env.BIN, COUNT);
  // CI and containers run as root, where Chromium has no sandbox
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined, args: ["--no-sandbox"] });
});
after(() => browser?.close());

/** Opens a page; whatever it asks for, says or shows by itself is a failure. */
const open = async (file, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { wrong.push("a value ran as a script"); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== pathToFileURL(file).href) wrong.push(`request: ${request.url()}`); });
  await page.goto(pathToFileURL(file).href);
  return { page, close: async () => { assert.deepEqual(wrong, []); await context.close(); } };
};

const shown = (page) => page.locator(".item:visible").count();
const focused = (page) => page.evaluate(() => [...document.querySelectorAll(".item")].indexOf(document.activeElement.closest(".item")));

test("it has everything in its order, and values are no markup", async () => {
  const { page, close } = await open(page_small);
  const titles = await page.locator("main h2").allTextContents();
  assert.deepEqual(titles.map((it) => it.replace(/ \d+$/, "")), [
    "Conflicts", "Put together from both sides", "Held back by pins", "Deleted here, changed upstream: stays deleted",
    "Changed files", "Warnings",
  ]);
  const title = page.locator(".item", { hasText: "data.title" }).first();
  assert.equal(await title.locator("dd").last().textContent(), `"${HOSTILE}"`);
  assert.deepEqual(await title.locator("dt").allTextContents(), ["original", "updated taken", "local"]);
  assert.equal(await title.locator("dd").nth(1).locator("mark").textContent(), "2");
  assert.match(await title.locator(".lines .here").textContent(), /title/);
  assert.match(await title.locator(".why").textContent(), /a conflict, both-changed; the policy/);
  assert.equal(await title.locator(".rule pre").textContent(), "- path: data.title\n  kind: ConfigMap\n  file: conf.yaml\n  take: local\n");
  assert.ok(!(await page.content()).includes("hunter"));
  await close();
});

test("it filters by file, kind and text", async () => {
  const { page, close } = await open(page_small);
  const all = await shown(page);
  const says = (count) => page.waitForFunction((text) => document.getElementById("shown").textContent === text, `${count} of ${all} shown`);
  await says(all);
  await page.fill("#file", "shop/");
  await says(4);
  assert.equal(await shown(page), 4);
  await page.selectOption("#kind", "both-changed");
  await says(2);
  assert.deepEqual(await page.locator("main > section:visible h2").allTextContents(), ["Conflicts 6", "Warnings 3"]);
  await page.fill("#file", "");
  await page.selectOption("#kind", "");
  await page.fill("#text", "ONERROR=alert");
  await says(2);
  await page.fill("#text", "no such thing");
  await says(0);
  await page.fill("#text", "");
  await says(all);
  await close();
});

test("it goes by keys", async () => {
  const { page, close } = await open(page_small);
  await page.keyboard.press("j");
  assert.equal(await focused(page), 0);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  assert.equal(await focused(page), 1);
  const item = page.locator(".item").nth(1);
  assert.ok(await item.evaluate((it) => it.open));
  await page.keyboard.press("Enter");
  assert.ok(!(await item.evaluate((it) => it.open)));
  await page.keyboard.press("Enter");
  assert.ok(await item.evaluate((it) => it.open));
  await page.keyboard.press("/");
  // letters are text now
  await page.keyboard.type("jk");
  assert.equal(await page.inputValue("#text"), "jk");
  await page.fill("#text", "");
  await page.keyboard.press("Escape");
  // what is filtered out is passed over
  await page.selectOption("#kind", "added");
  await page.waitForFunction(() => document.getElementById("shown").textContent.startsWith("1 of"));
  await page.locator("h1").click();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  assert.equal(await page.evaluate(() => document.activeElement.closest(".item").dataset.file), "new.yaml");
  await close();
});

test("it folds, opens, and hands out rules", async () => {
  const { page, close } = await open(page_small);
  const opened = () => page.locator(".item[open]").count();
  await page.click("#fold");
  assert.equal(await opened(), 0);
  await page.click("#open");
  assert.equal(await opened(), await shown(page));
  const diff = page.locator('.file[data-file="new.yaml"] .diff');
  assert.match(await diff.textContent(), /\+apiVersion: v1/);
  assert.equal(await diff.locator(".k").first().textContent(), "apiVersion");
  await page.locator(".copy").first().click();
  await page.waitForFunction(() => document.querySelector(".copy").textContent !== "Copy the rule");
  await close();
});

test("it has a dark side", async () => {
  const back = async (colorScheme) => {
    const { page, close } = await open(page_small, { colorScheme });
    const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await close();
    return color.match(/\d+/g).slice(0, 3).reduce((sum, it) => sum + Number(it), 0);
  };
  assert.ok((await back("light")) > 600 && (await back("dark")) < 150);
});

test("it is printed without its controls", async () => {
  const { page, close } = await open(page_small);
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator(".filter").isVisible()) && !(await page.locator(".copy").first().isVisible()));
  assert.ok(await page.locator(".sides").first().isVisible());
  await close();
});

test("it works without JavaScript", async () => {
  const { page, close } = await open(page_small, { javaScriptEnabled: false });
  assert.ok(!(await page.locator(".filter").isVisible()));
  assert.ok(await page.locator(".sides").first().isVisible());
  const file = page.locator('.file[data-file="new.yaml"]');
  assert.ok(!(await file.locator(".diff").isVisible()));
  await file.locator("summary").click();
  assert.ok(await file.locator(".diff").isVisible());
  await close();
});

test("it fits a phone", async () => {
  const { page, close } = await open(page_small, { viewport: { width: 390, height: 844 } });
  await page.click("#open");
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  const [first, second] = await page.locator(".sides").first().locator("> div").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top));
  assert.ok(second > first, "the values stand below one another");
  await close();
});

for (const [name, options] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["on a phone", { viewport: { width: 390, height: 844 } }],
]) {
  test(`axe finds nothing, ${name}`, async () => {
    // axe's own code is not the page's
    const { page, close } = await open(page_small, { bypassCSP: true, ...options });
    await page.click("#open");
    await page.evaluate(axe);
    // what is not on the screen is not painted, and has no colours that axe could see
    await page.addStyleTag({ content: ".item { content-visibility: visible !important }" });
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html).join(" ")}`), []);
    await close();
  });
}

test(`it stays fluid with ${COUNT} conflicts`, async (t) => {
  const { page, close } = await open(page_large);
  assert.equal(await page.locator('[data-kind="both-changed"]').count(), COUNT);
  // only what is near the screen is laid out and painted
  const painted = () => page.evaluate(() => [...document.querySelectorAll(".item .sides")].filter((it) => it.checkVisibility({ contentVisibilityAuto: true })).length);
  assert.ok((await painted()) < 60);
  const start = Date.now();
  for (let at = 0; at < 50; at++) await page.keyboard.press("j");
  t.diagnostic(`a step by j: ${((Date.now() - start) / 50).toFixed(1)} ms`);
  assert.equal(await focused(page), 49);
  const typed = Date.now();
  await page.fill("#text", "data.field-7");
  await page.waitForFunction(() => document.getElementById("shown").textContent.startsWith("100 of"));
  t.diagnostic(`a filter by text: ${Date.now() - typed} ms`);
  await page.fill("#text", "");
  await page.waitForFunction((count) => document.getElementById("shown").textContent.startsWith(`${count} of`), await page.locator(".item").count());
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  assert.ok((await painted()) < 60);
  await close();
});
