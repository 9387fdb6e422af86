import sharp from 'sharp';
import { setBackground } from '../../contracts/accounts/backgrounds.ts';
import type { Client } from '../calls/client.ts';

type Colour = { r: number; g: number; b: number };

export const RED: Colour = { r: 200, g: 30, b: 40 };
export const BLUE: Colour = { r: 20, g: 60, b: 200 };

export function paint(
  colour: Colour,
  { width = 320, height = 200, format = 'png' as 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' | 'tiff' } = {},
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer();
}

export function post(
  client: Client,
  bytes: Buffer | string,
  { field = 'background', fileName = 'picture.png' } = {},
): Promise<Response> {
  const form = new FormData();
  form.append(field, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), fileName);
  return client.fetch(setBackground.path, { method: 'POST', body: form });
}

/** Sets a background and returns its URL. Throws if it is refused. */
export async function setPicture(client: Client, bytes: Buffer, fileName?: string): Promise<string> {
  const response = await post(client, bytes, { ...(fileName && { fileName }) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return ((await response.json()) as { url: string }).url;
}

/** Fetches a picture. Returns its status, size, format and dominant color. */
export async function fetchPicture(client: Client, url: string) {
  const response = await client.fetch(url);
  if (response.status !== 200) return { status: response.status };
  const picture = sharp(Buffer.from(await response.arrayBuffer()));
  const { width, height, format, exif } = await picture.metadata();
  const { dominant } = await picture.stats();
  return { status: 200, width, height, format, hasExif: exif !== undefined, isRed: dominant.r > dominant.b };
}
