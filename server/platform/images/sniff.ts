/** The MIME type is safe to send and known to browsers. */
export type Content =
  | { kind: 'image'; mimeType: string; format: 'jpeg' | 'png' | 'webp' | 'gif' | 'heif' }
  | { kind: 'pdf' | 'video' | 'audio'; mimeType: string };

export const SNIFFED_BYTES = 8 * 1024;

const image = (format: Extract<Content, { kind: 'image' }>['format'], mimeType = `image/${format}`) =>
  ({ kind: 'image', mimeType, format }) as const;
const video = (mimeType: string) => ({ kind: 'video', mimeType }) as const;
const audio = (mimeType: string) => ({ kind: 'audio', mimeType }) as const;

/** Uses magic bytes, never the declared type. Undefined for everything else, including SVG and HTML. */
export function sniffContent(head: Uint8Array): Content | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, SNIFFED_BYTES));
  const at = (offset: number, text: string) =>
    bytes.toString('latin1', offset, offset + text.length) === text;
  if (at(0, '\xff\xd8\xff')) return image('jpeg');
  if (at(0, '\x89PNG\r\n\x1a\n')) return image('png');
  if (at(0, 'GIF87a') || at(0, 'GIF89a')) return image('gif');
  if (at(0, 'RIFF')) return at(8, 'WEBP') ? image('webp') : at(8, 'WAVE') ? audio('audio/wav') : undefined;
  if (at(4, 'ftyp')) return sniffIsoMedia(bytes);
  if (at(0, '%PDF-')) return { kind: 'pdf', mimeType: 'application/pdf' };
  if (at(0, '\x1aE\xdf\xa3')) return isWebm(bytes) ? video('video/webm') : undefined;
  if (at(0, 'OggS')) return bytes.includes('theora', 0, 'latin1') ? video('video/ogg') : audio('audio/ogg');
  if (at(0, 'fLaC')) return audio('audio/flac');
  if (at(0, 'ID3') || isMp3Frame(bytes)) return audio('audio/mpeg');
  return undefined;
}

/** ISO/IEC 14496-12: checks the brands, the major brand first. */
function sniffIsoMedia(bytes: Buffer): Content | undefined {
  const length = bytes.readUInt32BE(0);
  const brands = [];
  for (let offset = 8; offset + 4 <= Math.min(length, 256, bytes.length); offset += 4)
    if (offset !== 12) brands.push(bytes.toString('latin1', offset, offset + 4));
  for (const brand of brands) {
    if (brand === 'avif' || brand === 'avis') return image('heif', 'image/avif');
    if (/^(hei[cxms]|hev[cxms])$/.test(brand)) return image('heif', 'image/heic');
    if (brand === 'qt  ') return video('video/quicktime');
    if (/^M4[AB] $/.test(brand)) return audio('audio/mp4');
    if (/^(iso[m2-9]|mp4[12]|avc1|M4V |MSNV|dash|3g[p2].)$/.test(brand)) return video('video/mp4');
  }
  return undefined;
}

/** Browsers play only Matroska files with the doc type "webm". */
function isWebm(bytes: Buffer): boolean {
  const docType = bytes.indexOf('\x42\x82\x84webm', 0, 'latin1');
  return docType >= 0 && docType < 64;
}

/** MPEG audio, layer III, without a tag. */
function isMp3Frame(bytes: Buffer): boolean {
  if (bytes.length < 4 || bytes[0] !== 0xff) return false;
  const [second, third] = [bytes[1]!, bytes[2]!];
  const isLayer3 = (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08;
  const bitrate = third >> 4;
  return isLayer3 && bitrate !== 0 && bitrate !== 15 && (third & 0x0c) !== 0x0c;
}
