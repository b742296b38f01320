// Draws docs/report.png, the report as a page: node picture.mjs PAGE PICTURE, where playwright-core is installed; CHROMIUM is the browser.
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page, picture] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined, args: ["--no-sandbox"] });
const view = await browser.newPage({ viewport: { width: 900, height: 780 } });
await view.goto(pathToFileURL(page).href);
await view.screenshot({ path: picture });
await browser.close();
