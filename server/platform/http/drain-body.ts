import type { FastifyRequest } from 'fastify';
import { MIB } from '../../../contracts/values/sizes.ts';

/** Of a refused body so much is still read, so that its sender sees the answer; then the line is cut. */
const DRAINED_BYTES = 64 * MIB;

/** Lets the rest of a body go by; without that, a kept connection would never come to its next request. */
export function drainBody({ raw }: FastifyRequest): void {
  if (raw.readableEnded || raw.destroyed) return;
  let left = DRAINED_BYTES;
  raw.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) raw.destroy();
  });
  raw.on('error', () => undefined);
  raw.resume();
}
