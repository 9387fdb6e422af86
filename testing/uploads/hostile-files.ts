import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

export type SampleFile = { name: string; bytes: Buffer };

export function makePicture(
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif',
  { width = 1200, height = 800 } = {},
): Promise<Buffer> {
  const create = { width, height, channels: 3, background: '#c8f060' } as const;
  return sharp({ create, limitInputPixels: false }).toFormat(format).toBuffer();
}

/** A PDF with one page of the size of its box. `more` are objects numbered from 5. */
export function makePdf({
  box = '[0 0 300 200]',
  content = HELLO,
  resources = '',
  more = [] as Buffer[],
} = {}) {
  return joinObjects([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox${box}/Contents 4 0 R/Resources<<${FONT}${resources}>>>>`,
    makeStream(Buffer.from(content)),
    ...more,
  ]);
}

/** One page for each box. */
export function makePdfOfPages(boxes: readonly string[]): Buffer {
  const kids = boxes.map((_, index) => `${3 + index} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${boxes.length}>>`,
    ...boxes.map(
      (box, index) =>
        `<</Type/Page/Parent 2 0 R/MediaBox${box}/Contents ${3 + boxes.length + index} 0 R/Resources<<${FONT}>>>>`,
    ),
    ...boxes.map((_, index) => makeStream(bytesOf(`BT /F1 24 Tf 20 100 Td (Page ${index + 1}) Tj ET`))),
  ];
  return joinObjects(objects);
}

const FONT = '/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>';

function joinObjects(objects: (string | Buffer)[]): Buffer {
  const numbered = objects.map((object, index) =>
    Buffer.concat([bytesOf(`${index + 1} 0 obj`), Buffer.from(object), bytesOf('endobj\n')]),
  );
  return Buffer.concat([bytesOf('%PDF-1.4\n'), ...numbered, bytesOf('trailer<</Root 1 0 R>>\n')]);
}

const HELLO = 'BT /F1 24 Tf 20 100 Td (Hello) Tj ET';

function makeStream(bytes: Buffer, dictionary = ''): Buffer {
  const head = bytesOf(`<<${dictionary}/Length ${bytes.length}>>stream\n`);
  return Buffer.concat([head, bytes, bytesOf('\nendstream ')]);
}

/** A page with so many strokes that drawing it takes forever, compressed by a factor of a thousand. */
export function makeEndlessPdf(): Buffer {
  const strokes = deflateSync(Buffer.alloc(128 * 1024 * 1024, '0 0 m 9 9 l S\n'));
  const form = makeStream(strokes, '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Filter/FlateDecode');
  return makePdf({ content: '/X Do', resources: '/XObject<</X 5 0 R>>', more: [form] });
}

function makeSelfDrawingPdf(): Buffer {
  const form = makeStream(
    bytesOf('/X Do /X Do'),
    '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>',
  );
  return makePdf({ content: '/X Do', resources: '/XObject<</X 5 0 R>>', more: [form] });
}

/** A page tree that contains itself. */
const LOOPING_PDF = bytesOf(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj\ntrailer<</Root 1 0 R>>\n',
);

/** A grayscale PNG that claims any size and has almost no data by default. */
function makePng(width: number, height: number, { bits = 8, pixels = Buffer.alloc(1024) } = {}): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size[8] = bits;
  const signature = bytesOf('\x89PNG\r\n\x1a\n');
  return Buffer.concat([
    signature,
    pngChunk('IHDR', size),
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND'),
  ]);
}

function pngChunk(type: string, data = Buffer.alloc(0)): Buffer {
  const typed = Buffer.concat([bytesOf(type), data]);
  const chunk = Buffer.alloc(8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([chunk.subarray(0, 4), typed, chunk.subarray(4)]);
}

/** A GIF that repeats one frame, optionally with a false screen size. */
async function makeGif({ frames, screen }: { frames: number; screen?: number }): Promise<Buffer> {
  const gif = await makePicture('gif', { width: 400, height: 400 });
  const colours = gif[10]! & 0x80 ? 3 * 2 ** ((gif[10]! & 7) + 1) : 0;
  const head = Buffer.from(gif.subarray(0, 13 + colours));
  if (screen !== undefined) head.writeUInt16LE(screen, 6);
  if (screen !== undefined) head.writeUInt16LE(screen, 8);
  const frame = gif.subarray(13 + colours, -1);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), bytesOf(';')]);
}

/** An animation of 16,384 by 16,384 pixels without a frame. */
function makeHugeWebp(): Buffer {
  const head = bytesOf('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0');
  return Buffer.concat([head, Buffer.from([0xff, 0x3f, 0, 0xff, 0x3f, 0])]);
}

function isoMedia(brand: string): Buffer {
  return Buffer.concat([bytesOf(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1${brand}`), randomBytes(4096)]);
}

/** Files that are mislabeled, broken or claim a huge size. No preview can be made of any. */
export async function makeHostileFiles(): Promise<SampleFile[]> {
  const jpeg = await makePicture('jpeg');
  const html = bytesOf('<html><script>alert(1)</script>');
  const svg = bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  return [
    { name: 'bomb.png', bytes: makePng(30_000, 30_000, { bits: 1, pixels: Buffer.alloc(30_000 * 3_751) }) },
    { name: 'claims-all.png', bytes: makePng(0x7fffffff, 0x7fffffff) },
    { name: 'claims-much.png', bytes: makePng(100_000, 100_000) },
    { name: 'empty-inside.png', bytes: makePng(5_000, 5_000) },
    { name: 'truncated.jpg', bytes: jpeg.subarray(0, Math.floor(jpeg.length / 2)) },
    { name: 'only-a-start.jpg', bytes: jpeg.subarray(0, 4) },
    { name: 'html.png', bytes: html },
    { name: 'script.svg', bytes: svg },
    { name: 'script-svg.png', bytes: svg },
    { name: 'svg-behind-a-png-head.png', bytes: Buffer.concat([bytesOf('\x89PNG\r\n\x1a\n'), svg]) },
    { name: 'jpeg-behind-a-gif-head.gif', bytes: Buffer.concat([bytesOf('GIF89a'), jpeg]) },
    { name: 'zip.pdf', bytes: Buffer.concat([bytesOf('PK\x03\x04'), randomBytes(2048)]) },
    { name: 'zip-behind-a-pdf-head.pdf', bytes: Buffer.concat([bytesOf('%PDF-1.7\nPK'), randomBytes(2048)]) },
    { name: 'loop.pdf', bytes: LOOPING_PDF },
    { name: 'flat.pdf', bytes: makePdf({ box: '[0 0 9000000 1]' }) },
    { name: 'huge.webp', bytes: makeHugeWebp() },
    { name: 'garbage.avif', bytes: isoMedia('avif') },
    { name: 'garbage.heic', bytes: isoMedia('heic') },
  ];
}

/** Unusual files that do have a preview of normal size. */
export async function makeOddFiles(): Promise<SampleFile[]> {
  return [
    { name: 'nearly-too-large.png', bytes: await makePicture('png', { width: 7_000, height: 7_000 }) },
    { name: 'screen.gif', bytes: await makeGif({ frames: 1, screen: 65_535 }) },
    { name: 'long.gif', bytes: await makeGif({ frames: 5_000 }) },
    { name: 'poster.pdf', bytes: makePdf({ box: '[0 0 9000000 6000000]' }) },
    { name: 'draws-itself.pdf', bytes: makeSelfDrawingPdf() },
  ];
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
