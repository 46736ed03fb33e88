// Looks through every state in a browser: node axe.mjs [--few] [--accept] [STORY or part of an address]
// With axe-core: both themes and languages, windows from 640 to 1920 px, and 1280 by 800 at 200 %. Two of these, dark
// English in 1280 by 800 and light Chinese in 960 by 640, are also compared with the accepted pictures; --few looks at
// these two only, and --accept takes what they now look like. Ends with 1 if anything is found.
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build, createServer, preview } from "vite";
import { openPictures } from "./pictures.mjs";

/** Width, height, and how much larger than usual everything is drawn. */
const PLAIN = [1280, 800, 1];
const WINDOWS = [PLAIN, [640, 640, 1], [960, 640, 1], [1920, 1080, 1], [1280, 800, 2]];
/** All of them in the plain window, the first and the last in the others. */
const LOOKS = [
  ["dark", "en"],
  ["dark", "zh-CN"],
  ["light", "en"],
  ["light", "zh-CN"],
];
/** Of which pictures are kept. */
const PICTURED = [
  ["dark", "en", PLAIN],
  ["light", "zh-CN", WINDOWS[2]],
];
/** Stories that change by themselves: their toast goes after a while. */
const UNSTEADY = new Set(["notified"]);
/** The time in every state, shortly after the newest sample. */
const NOW = new Date("2026-11-20T14:32:30Z");
/** For so many frames a page does not change before it is looked at. */
const STILL_FRAMES = 10;
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Menus and list boxes that are open: story, address, what is clicked. */
const OPEN = [
  ["default", "#/hooks?hook=jcli:project:pre_tool_execution:1", ".drawer [aria-haspopup=menu]"],
  ["agents", "#/fire?agent=4f21", "main [role=combobox]"],
  ["default", "#/hooks?hook=jcli:project:pre_tool_execution:1", ".facts .button"],
  ["prompts", "#/hooks?hook=jcli:project:pre_tool_execution:2", ".facts .col-start-2 .button"],
  ["default", "#/settings?section=model", "main [role=combobox]"],
  ["default", "#/history", "main input[role=combobox]"],
];

const { HOOKWRIGHT_CHROMIUM = "/usr/bin/chromium" } = process.env;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const words = process.argv.slice(2);
const accept = words.includes("--accept");
const few = accept || words.includes("--few");
const part = words.find((word) => !word.startsWith("--")) ?? "";
const out = await mkdtemp(join(tmpdir(), "hookwright-stories-"));
const configFile = fileURLToPath(new URL("../../../vite.stories.config.ts", import.meta.url));
const shared = { configFile, logLevel: "error" };
// Built, because a page of single modules takes seconds to load.
await build({ ...shared, build: { outDir: out, emptyOutDir: true, target: "es2022", reportCompressedSize: false } });
const modules = await createServer({ ...shared, server: { middlewareMode: true, ws: false } });
const { STATES } = await modules.ssrLoadModule("/states.ts");
await modules.close();
const server = await preview({ ...shared, build: { outDir: out }, preview: { port: 5180, strictPort: false } });
const states = [
  ...STATES.map(([story, address, key]) => ({ story, address, key })),
  ...OPEN.map(([story, address, click]) => ({ story, address, click })),
  { story: "gallery", address: "#/" },
].filter(({ story, address }) => story === part || address.includes(part));

const browser = await chromium.launch({
  executablePath: HOOKWRIGHT_CHROMIUM,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});

/** What axe finds, and what is wider than the window. */
function findings(tags) {
  // An open menu or list box hides the page behind it, its headings included, and lies in no landmark.
  const isOver = document.querySelector("[data-radix-popper-content-wrapper]") !== null;
  const rules = { "label-content-name-mismatch": { enabled: true } };
  if (isOver)
    for (const rule of ["region", "page-has-heading-one", "landmark-one-main"]) rules[rule] = { enabled: false };
  return window.axe.run(document, { runOnly: tags, rules }).then(({ violations }) => {
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id}: ${help}\n    ${html.slice(0, 160)}`),
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...found, `${scrollWidth - clientWidth} px wider than the window`] : found;
  });
}

/** Resolves when the page was still for so many frames: no change, no animation that ends, no font that loads. */
function stillness(frames) {
  let quiet = 0;
  const watcher = new MutationObserver(() => {
    quiet = 0;
  });
  watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const ends = ({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
  const moves = () => document.getAnimations().some((one) => one.playState === "running" && ends(one));
  return new Promise((resolve) => {
    const look = () => {
      quiet = document.fonts.status === "loading" || moves() ? 0 : quiet + 1;
      if (quiet < frames) return requestAnimationFrame(look);
      watcher.disconnect();
      resolve();
    };
    requestAnimationFrame(look);
  });
}

/** Says whether a part of the page is being loaded. */
function watchLoading(page) {
  let loading = 0;
  page.on("request", () => {
    loading += 1;
  });
  for (const end of ["requestfinished", "requestfailed"])
    page.on(end, () => {
      loading -= 1;
    });
  return () => loading > 0;
}

const say = (line) => process.stdout.write(`${line}\n`);
const pictures = await openPictures(browser, `${server.resolvedUrls.local[0]}?story=gallery`, { accept, say });

/** The name of its picture: words of its address, and a digest where they are too long. */
function pictureName({ story, address, key, click }, theme, lang) {
  const whole = [story, address, key ?? click ?? ""].join("-");
  const plain = whole.replace(/[^a-z0-9]+/gi, "-").replace(/-$/, "");
  const digest = createHash("sha256").update(whole).digest("hex").slice(0, 6);
  return `${plain.length > 60 ? `${plain.slice(0, 53)}-${digest}` : plain}.${theme}-${lang}`;
}

async function look(state, theme, lang, size) {
  const { story, address, key, click } = state;
  const [width, height, zoom] = size;
  // What a zoom leaves of the window is what decides the layout.
  const viewport = { width: width / zoom, height: height / zoom };
  const page = await browser.newPage({
    viewport,
    deviceScaleFactor: zoom,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: lang,
  });
  const isLoading = watchLoading(page);
  // Scripted replies and lazy parts are drawn one after the other; nothing says which is the last one.
  const waitUntilStill = async () => {
    do await page.evaluate(stillness, STILL_FRAMES);
    while (isLoading());
  };
  try {
    await page.clock.setFixedTime(NOW);
    await page.goto(`${server.resolvedUrls.local[0]}?story=${story}&theme=${theme}&lang=${lang}${address}`);
    await page.waitForSelector("h1, h3, [role=alert]");
    await page.waitForFunction(() => document.querySelector(".skeleton, .spinner") === null);
    await waitUntilStill();
    if (key !== undefined) await page.keyboard.press(key);
    if (click !== undefined) await page.click(`${click} >> nth=0`, { timeout: 5000 });
    if (key !== undefined || click !== undefined) await waitUntilStill();
    const isPictured = !UNSTEADY.has(story) && PICTURED.some(([a, b, c]) => a === theme && b === lang && c === size);
    const looks = isPictured && pictures ? await pictures.compare(page, pictureName(state, theme, lang)) : [];
    if (accept || story === "gallery") return looks;
    await page.evaluate(axe);
    return [...looks, ...(await page.evaluate(findings, TAGS))];
  } catch (thrown) {
    return [String(thrown).split("\n")[0]];
  } finally {
    await page.close();
  }
}

const plain = WINDOWS.flatMap((size) =>
  LOOKS.filter(([theme, lang]) => size === PLAIN || (theme === "dark") === (lang === "en")).map(([theme, lang]) => [
    theme,
    lang,
    size,
  ]),
);
const looks = (few ? PICTURED : plain).flatMap(([theme, lang, size]) =>
  states.map((state) => ({ state, theme, lang, size })),
);
const all = looks.length;
let bad = 0;
async function work() {
  for (let one = looks.shift(); one !== undefined; one = looks.shift()) {
    const { state, theme, lang, size } = one;
    const found = await look(state, theme, lang, size);
    if (found.length === 0) continue;
    bad += 1;
    const [width, height, zoom] = size;
    const does = state.key ?? state.click ?? "";
    say(`${state.story} ${state.address} ${does} · ${theme}, ${lang}, ${width}×${height}, ${zoom * 100} %`);
    for (const line of found) say(`  ${line}`);
  }
}
await Promise.all([work(), work()]);
const left = part === "" && pictures ? await pictures.left() : [];
for (const line of left) say(line);
bad += left.length;
if (bad > 0) say(`${bad} failed`);
say(`${all - bad} passed`);
await browser.close();
await server.close();
await rm(out, { recursive: true });
process.exit(bad === 0 ? 0 : 1);
