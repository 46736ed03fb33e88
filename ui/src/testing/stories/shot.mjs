// Takes pictures of stories: node shot.mjs OUT_DIR name=query#hash@WIDTHxHEIGHT[:press=Key,Key][:click=selector] …
// The stories have to be served already (`npm run stories`).
import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";

const [out, ...shots] = process.argv.slice(2);
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
await mkdir(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: FLAGS,
});
for (const shot of shots) {
  const [name, rest] = shot.split(/=(.*)/s);
  const [where, ...steps] = rest.split("~");
  const [address, size = "1280x800"] = where.split("@");
  const [width, height] = size.split("x").map(Number);
  const page = await browser.newPage({ viewport: { width, height } });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      process.stdout.write(`${name}: ${message.text()}\n`);
  });
  page.on("pageerror", (error) => process.stdout.write(`${name}: ${error.message}\n`));
  await page.goto(`${process.env.STORIES ?? "http://localhost:5174/"}${address}`);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(400);
  for (const step of steps) {
    const [verb, what] = step.split(/:(.*)/s);
    if (verb === "press") await page.keyboard.press(what);
    else if (verb === "click") await page.click(what);
    else if (verb === "type") await page.keyboard.type(what);
    else if (verb === "eval") await page.evaluate(what);
    await page.waitForTimeout(250);
  }
  await page.screenshot({ path: `${out}/${name}.png` });
  await page.close();
}
await browser.close();
