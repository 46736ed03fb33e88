// Makes a picture of the window smaller: at most 256 colours, which needs about a third of the bytes. A window has few
// areas of colour and many shades at the edges of letters; each shade becomes the nearest colour that is kept.
import { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;
/** The most frequent colours stay exactly as they are: they fill areas, and the colour of an area means something. */
const EXACT_COLOURS = 128;
const RGB = 2;
const PALETTE = 3;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  let crc = ~0;
  for (const byte of body) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeInt32BE(~crc | 0, 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** The header of a PNG and its image data, still compressed. */
function partsOf(png) {
  const data = [];
  let header;
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") header = body;
    if (type === "IDAT") data.push(body);
    at += 12 + length;
  }
  const [depth, colour, , , interlaced] = header.subarray(8);
  if (depth !== 8 || colour !== RGB || interlaced !== 0) throw new Error("not a PNG of 8 bits in red, green and blue");
  return { width: header.readUInt32BE(0), height: header.readUInt32BE(4), data: Buffer.concat(data) };
}

/** The predictor of a line's filter, from the bytes at the left, above, and above at the left. */
const FILTERS = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  (left, above, corner) => {
    const guess = left + above - corner;
    const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
    return a <= b && a <= c ? left : b <= c ? above : corner;
  },
];

/** The colour of each pixel, as one number. */
function pixelsOf({ width, height, data }) {
  const lines = inflateSync(data);
  const stride = width * 3;
  const bytes = Buffer.alloc(stride * (height + 1)); // the line above the first is black
  for (let y = 0; y < height; y += 1) {
    const filter = FILTERS[lines[y * (stride + 1)]];
    for (let x = 0; x < stride; x += 1) {
      const at = (y + 1) * stride + x;
      const [left, corner] = x < 3 ? [0, 0] : [bytes[at - 3], bytes[at - stride - 3]];
      bytes[at] = lines[y * (stride + 1) + 1 + x] + filter(left, bytes[at - stride], corner);
    }
  }
  return Uint32Array.from({ length: width * height }, (_, at) => bytes.readUIntBE(stride + at * 3, 3));
}

function distance(one, other) {
  const of = (shift) => Math.abs(((one >> shift) & 255) - ((other >> shift) & 255));
  return Math.max(of(16), of(8), of(0));
}

/** The most frequent colours, and of the others those that differ by more than the least distance at which they are few enough. */
function paletteOf(colours) {
  for (let apart = 0; ; apart += 1) {
    const kept = colours.slice(0, EXACT_COLOURS);
    for (const colour of colours.slice(EXACT_COLOURS)) {
      if (!kept.some((one) => distance(one, colour) <= apart)) kept.push(colour);
      if (kept.length > MOST_COLOURS) break;
    }
    if (kept.length <= MOST_COLOURS) return kept;
  }
}

/** The same picture in fewer bytes. */
export function smaller(png) {
  const parts = partsOf(png);
  const pixels = pixelsOf(parts);
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const colours = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const palette = paletteOf(colours);
  const nearest = new Map(
    colours.map((colour) => {
      const distances = palette.map((one) => distance(one, colour));
      return [colour, distances.indexOf(Math.min(...distances))];
    }),
  );
  const { width, height } = parts;
  const lines = Buffer.alloc((width + 1) * height); // the filter of each line is 0, none
  pixels.forEach((colour, at) => {
    lines[at + Math.floor(at / width) + 1] = nearest.get(colour);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE], 8);
  const table = Buffer.alloc(palette.length * 3);
  palette.forEach((colour, at) => table.writeUIntBE(colour, at * 3, 3));
  const data = deflateSync(lines, { level: 9, memLevel: 9 });
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("PLTE", table), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}
