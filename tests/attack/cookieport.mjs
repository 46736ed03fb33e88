// Opens the page of `serve --web`, then a page of another port of the same address, in one browser. Prints what that port gets.
// usage: node cookieport.mjs PLAYWRIGHT_CORE CHROMIUM LINK OTHER_URL…
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const { chromium } = require(process.argv[2]);
const [executablePath, link, ...others] = process.argv.slice(3);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const context = await browser.newContext();
const page = await context.newPage();
await page.goto(link);
await page.waitForTimeout(1500);
console.log("title:", await page.title());
for (const url of others) {
  const tab = await context.newPage();
  await tab.goto(url, { timeout: 10000 }).catch((error) => console.log(String(error).slice(0, 100)));
  await tab.close();
}
await browser.close();
