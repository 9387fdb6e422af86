import type { FastifyRequest } from 'fastify';
import type { RequestSeen } from '../../../../contracts/admin/system.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { drainBody } from '../../../platform/http/bodies/raw-body.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso } from '../../../platform/lib/clock.ts';

const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
];
const HEADER_MAX = 300;
const BODY_MAX_BYTES = 64 * MIB;

export function describeRequest(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { headers, protocol, host, ip }: FastifyRequest,
): RequestSeen {
  const named = FORWARDED.map((name) => [name, headers[name]] as const).filter(([, value]) => value);
  return {
    publicUrl: config.publicUrl,
    protocol,
    host,
    ip,
    trustsProxy: config.trustProxy !== false,
    forwarded: Object.fromEntries(named.map(([name, value]) => [name, String(value).slice(0, HEADER_MAX)])),
    serverTime: toIso(clock.now()),
  };
}

/** Counts and discards the bytes of a body. Throws AppError `body_too_large`, `chunk_cut_short`. */
export async function countBody(
  { clock }: Pick<Context, 'clock'>,
  request: FastifyRequest,
): Promise<{ bytes: number; milliseconds: number }> {
  // The JSON parser has already consumed the body, so the stream would emit no more events.
  if (request.raw.readableEnded) throw new AppError('unsupported_media_type');
  const startedAt = clock.now();
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  const bytes = declaredBytes > BODY_MAX_BYTES ? declaredBytes : await countUpTo(request, BODY_MAX_BYTES);
  if (bytes > BODY_MAX_BYTES) {
    drainBody(request);
    throw new AppError('body_too_large');
  }
  return { bytes, milliseconds: clock.now() - startedAt };
}

/** Resolves at the end of the body or at the first byte beyond `most`, and leaves the rest unread. */
async function countUpTo({ raw }: FastifyRequest, most: number): Promise<number> {
  let bytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const count = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > most) resolve();
  };
  const cutShort = () => reject(new AppError('chunk_cut_short'));
  raw.on('data', count).once('end', resolve).once('error', cutShort).once('close', cutShort);
  await promise.finally(() => raw.off('data', count).pause());
  return bytes;
}
