import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer that is the same for everybody for as long as the process runs. */
export type StoredAnswer = { type: string; etag: string; bytes: Buffer; brotli: Buffer };

const compress = promisify(brotliCompress);
/** A sixth of the bytes in a fifth of a second; the best quality would take half a minute for a percent more. */
const QUALITY = 5;

/** Keeps a text with its compressed form. `type` is its media type. */
export async function storeAnswer(text: string, type: string): Promise<StoredAnswer> {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const brotli = await compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
  return { type: `${type}; charset=utf-8`, etag, bytes, brotli };
}

/** Sends it, or 304 to who has it already. */
export function sendStored(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, etag, bytes, brotli }: StoredAnswer,
): void {
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (
    headers['if-none-match']
      ?.replaceAll('W/', '')
      .split(/\s*,\s*/)
      .includes(etag)
  ) {
    reply.code(304).send();
    return;
  }
  const takesBrotli = /\bbr\b/.test(headers['accept-encoding'] ?? '');
  if (takesBrotli) reply.header('content-encoding', 'br');
  reply.type(type).send(takesBrotli ? brotli : bytes);
}
