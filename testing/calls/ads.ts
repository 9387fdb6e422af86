import { type Ad, createAd, updateAd } from '../../contracts/plans/ads.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import type { Client } from './client.ts';

type Fields = Record<string, string | number | boolean>;
type File = { bytes: Buffer | string; fileName?: string; field?: string };

/** Sends an ad as a form, like a browser. With an `id` it changes that ad. */
export function postAd(
  client: Client,
  fields: Fields,
  { file, id }: { file?: File | undefined; id?: string } = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  if (file) {
    const { bytes, fileName = 'ad.png', field = 'file' } = file;
    form.append(field, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), fileName);
  }
  const { method, path } = id === undefined ? createAd : updateAd;
  return client.fetch(path.replace(':id', id ?? ''), { method, body: form });
}

export async function putAd(client: Client, ...rest: AfterClient<typeof postAd>): Promise<Ad> {
  const response = await postAd(client, ...rest);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Ad;
}

type AfterClient<Call extends (client: Client, ...rest: never[]) => unknown> =
  Parameters<Call> extends [Client, ...infer Rest] ? Rest : never;

/** Bytes that start like a video of this kind, followed by arbitrary bytes. */
export function makeFilm(kind: 'mp4' | 'webm', sizeBytes = 2_000): Buffer {
  const head =
    kind === 'mp4'
      ? Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp42', 'latin1')
      : Buffer.from('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm', 'latin1');
  return Buffer.concat([head, makeBytes(sizeBytes - head.length)]);
}
