import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Download, TestInfo } from '@playwright/test';
import sharp from 'sharp';

/** A picture of one color with a lighter spot. */
export async function makePicture(
  format: 'jpeg' | 'png' | 'webp',
  [width, height]: [number, number],
  hue: number,
): Promise<Buffer> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="hsl(${hue} 45% 38%)"/>
    <circle cx="30%" cy="35%" r="18%" fill="hsl(${hue} 70% 70%)"/></svg>`;
  return sharp(Buffer.from(drawing)).toFormat(format).toBuffer();
}

/** A GIF of two frames that repeats forever. */
export async function makeAnimation(size: [number, number]): Promise<Buffer> {
  const frames = await Promise.all([20, 200].map((hue) => makePicture('png', size, hue)));
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [300, 300], loop: 0 })
    .toBuffer();
}

/**
 * A WebM that plays in any browser: one frame per second, each in another color. `paddingBytes` separate the frames,
 * so that later ones are loaded only on demand.
 */
export async function makeVideo(seconds: number, paddingBytes = 0): Promise<Buffer> {
  const frames = await Promise.all(
    Array.from({ length: seconds }, (_, second) => makeFrame((second * 47) % 360)),
  );
  const clusters = frames.map((frame, second) =>
    element('1f43b675', [
      number('e7', second * 1000),
      element('a3', [Buffer.from([0x81, 0, 0, 0x80]), frame]),
      element('ec', [Buffer.alloc(paddingBytes)]),
    ]),
  );
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(seconds * 1000);
  const head = [
    element('1549a966', [
      number('2ad7b1', 1_000_000),
      element('4489', [duration]),
      text('4d80', 'test'),
      text('5741', 'test'),
    ]),
    element('1654ae6b', [
      element('ae', [
        number('d7', 1),
        number('73c5', 1),
        number('83', 1),
        text('86', 'V_VP8'),
        element('e0', [number('b0', FRAME.width), number('ba', FRAME.height)]),
      ]),
    ]),
  ];
  // The length does not depend on the offsets.
  const cuesBytes = makeCues(clusters, 0).length;
  const headBytes = Buffer.concat(head).length + cuesBytes;
  const ebml = element('1a45dfa3', [
    ...(['4286', '42f7'] as const).map((id) => number(id, 1)),
    number('42f2', 4),
    number('42f3', 8),
    text('4282', 'webm'),
    number('4287', 4),
    number('4285', 2),
  ]);
  return Buffer.concat([ebml, element('18538067', [...head, makeCues(clusters, headBytes), ...clusters])]);
}

/** A quiet tone as WAV. */
export function makeSound(seconds: number): Buffer {
  const rate = 8_000;
  const samples = Buffer.alloc(rate * seconds);
  samples.forEach((_, index) => {
    samples[index] = 128 + Math.round(20 * Math.sin((index / rate) * 2 * Math.PI * 440));
  });
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

const FRAME = { width: 320, height: 180 };

/** A lossy WebP contains a VP8 key frame. */
async function makeFrame(hue: number): Promise<Buffer> {
  const webp = await sharp(await makePicture('png', [FRAME.width, FRAME.height], hue))
    .removeAlpha()
    .webp({ quality: 60 })
    .toBuffer();
  const at = webp.indexOf('VP8 ');
  return webp.subarray(at + 8, at + 8 + webp.readUInt32LE(at + 4));
}

/** The position of each second, relative to the segment. */
function makeCues(clusters: Buffer[], firstOffset: number): Buffer {
  let offset = firstOffset;
  const points = clusters.map((cluster, second) => {
    const point = element('bb', [
      number('b3', second * 1000),
      element('b7', [number('f7', 1), number('f1', offset)]),
    ]);
    offset += cluster.length;
    return point;
  });
  return element('1c53bb6b', points);
}

/** An element of Matroska (EBML): an ID, a length of one or eight bytes, the content. */
function element(id: string, content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const long = Buffer.alloc(8);
  long.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  const length = body.length < 127 ? Buffer.from([body.length | 0x80]) : long;
  return Buffer.concat([Buffer.from(id, 'hex'), length, body]);
}

function number(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return element(id, [bytes]);
}

function text(id: string, value: string): Buffer {
  return element(id, [Buffer.from(value)]);
}

/** Contents by path. */
export type Files = Record<string, Buffer | string>;

/** Writes the files into a new folder of this test and returns it. */
export function writeFiles(testInfo: TestInfo, files: Files): string {
  return writeFilesInto(testInfo.outputPath('chosen'), files);
}

export function writeFilesInto(folder: string, files: Files): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Writes one file and returns its path. */
export function writeFile(testInfo: TestInfo, name: string, content: Buffer | string): string {
  return join(writeFiles(testInfo, { [name]: content }), name);
}

export async function readDownload(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}

/** Unpacks with the system's unzip and returns the folder. */
export function unzip(zipPath: string, folder: string): string {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync('unzip', ['-q', zipPath, '-d', folder], { env });
  if (status !== 0) throw new Error(`unzip ended with ${status}: ${stdout}${stderr}`);
  return folder;
}

/** Paths of all files in a folder, sorted. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
