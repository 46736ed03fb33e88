// Pictures of the stories as they were accepted: one a state and form in `pictures`, and in `baseline.json` what drew
// them. Other browsers and other fonts draw other pictures, and these say nothing about the interface.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

const FOLDER = fileURLToPath(new URL("./pictures/", import.meta.url));
const ARTIFACTS = fileURLToPath(new URL("../../../../artifacts/pictures/", import.meta.url));
const BASELINE = `${FOLDER}baseline.json`;
/**
 * How many pixels may differ by more than a part, of 0 to 1, of the largest difference of two colours: few by what a
 * letter changes, and no area by what two neighbouring backgrounds differ. Edges of letters differ slightly by themselves.
 */
const LIMITS = [
  { colour: 0.1, pixels: 40 },
  { colour: 0.015, pixels: 2000 },
];
/** Longest wait until a state is drawn, and the pause between two looks. */
const WAIT_MS = 4000;
const PAUSE_MS = 150;
/** Colours of a picture: a third of the size of all, and only the edges of letters lose some. */
const COLOURS = 128;

/** Letters of both languages in both fonts: the same picture means the same browser with the same fonts. */
const PROBE =
  '<p style="font: 420 13px Inter Variable">Hook 钩子 Aa 0123</p><p style="font: 12.5px JetBrains Mono Variable">{"a": 1}</p>';

async function drawnBy(browser, address) {
  const page = await browser.newPage({ viewport: { width: 240, height: 120 } });
  await page.goto(address);
  await page.evaluate(async (probe) => {
    document.body.innerHTML = probe;
    await Promise.all([...document.fonts].map((font) => font.load()));
  }, PROBE);
  const fonts = createHash("sha256")
    .update(await page.screenshot())
    .digest("hex")
    .slice(0, 16);
  await page.close();
  return { browser: browser.version(), fonts };
}

const channel = (colour, index) => (colour >>> (8 * index)) & 255;
const distance = (a, b) => [0, 1, 2].reduce((sum, index) => sum + (channel(a, index) - channel(b, index)) ** 2, 0);

/** Leaves a picture its most frequent colours and gives every other pixel the nearest of them. */
function reduceColours({ data, width, height }) {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const colours = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
  const palette = colours.slice(0, COLOURS);
  const indices = new Map(
    colours.map((colour) => {
      const nearest = palette.reduce((best, other) =>
        distance(colour, other) < distance(colour, best) ? other : best,
      );
      return [colour, palette.indexOf(nearest)];
    }),
  );
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < pixels.length; at += 1) {
    const index = indices.get(pixels[at]);
    rows[at + Math.floor(at / width) + 1] = index;
    pixels[at] = palette[index];
  }
  return { width, height, data, palette, rows };
}

/** A PNG file with a palette, which the library reads but does not write. */
function packed({ width, height, palette, rows }) {
  const chunk = (name, body) => {
    const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(body.length, 0);
    frame.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((colour) => [0, 1, 2].map((index) => channel(colour, index))))),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Pixels that differ beyond a limit, and where; all of them where one picture is missing or has another size. */
function difference(before, after) {
  const { width, height } = after;
  const marked = new PNG({ width, height });
  if (before?.width !== width || before.height !== height) return { pixels: width * height, marked };
  if (before.data.equals(after.data)) return { pixels: 0, marked };
  for (const { colour, pixels: most } of LIMITS) {
    const pixels = pixelmatch(before.data, after.data, marked.data, width, height, { threshold: colour });
    if (pixels > most) return { pixels, marked };
  }
  return { pixels: 0, marked };
}

/**
 * What compares the pictures of one run, or `null` where these cannot be compared, after saying so.
 * With `accept`, what differs is written instead.
 */
export async function openPictures(browser, address, { accept, say }) {
  const here = await drawnBy(browser, address);
  const baseline = await readFile(BASELINE, "utf8").then(JSON.parse, () => null);
  const isComparable = baseline?.browser === here.browser && baseline?.fonts === here.fonts;
  if (!accept && !isComparable) {
    const of = ({ browser: version, fonts }) => `Chromium ${version} with fonts ${fonts}`;
    say(`pictures skipped: they were drawn by ${baseline ? of(baseline) : "nobody"}, here is ${of(here)}`);
    return null;
  }
  await mkdir(FOLDER, { recursive: true });
  await rm(ARTIFACTS, { recursive: true, force: true });
  const seen = new Set(["baseline.json"]);

  const shoot = async (page) =>
    reduceColours(PNG.sync.read(await page.screenshot({ animations: "disabled", caret: "hide" })));

  return {
    /** What is wrong with the picture of a page. A page that is still being drawn is looked at again. */
    async compare(page, name) {
      const file = `${name}.png`;
      if (seen.has(file)) return [`two states have the picture ${file}`];
      seen.add(file);
      const accepted = isComparable ? await readFile(FOLDER + file).then(PNG.sync.read, () => null) : null;
      let after = await shoot(page);
      let found = difference(accepted, after);
      for (const until = performance.now() + WAIT_MS; found.pixels > 0 && performance.now() < until; ) {
        await page.waitForTimeout(PAUSE_MS);
        const last = after;
        after = await shoot(page);
        found = difference(accepted, after);
        if (accept && difference(last, after).pixels === 0) break;
      }
      if (found.pixels === 0) return [];
      if (accept) {
        await writeFile(FOLDER + file, packed(after));
        return [];
      }
      await mkdir(ARTIFACTS, { recursive: true });
      await writeFile(ARTIFACTS + file, packed(after));
      await writeFile(`${ARTIFACTS}${name}.difference.png`, PNG.sync.write(found.marked));
      const what = accepted ? `${found.pixels} pixels differ from ${file}` : `${file} was not accepted yet`;
      return [`${what}; look at artifacts/pictures, and accept it with ./dev bless`];
    },
    /** Pictures that no state of a whole run has; removed with `accept`, which also writes what drew the others. */
    async left() {
      const left = (await readdir(FOLDER)).filter((file) => !seen.has(file));
      if (!accept) return left.map((file) => `no state has the picture ${file}`);
      for (const file of left) await rm(FOLDER + file);
      await writeFile(BASELINE, `${JSON.stringify(here, null, 2)}\n`);
      return [];
    },
  };
}
