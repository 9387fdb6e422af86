import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MIB } from '../../../../contracts/values/sizes.ts';

/** Lets the calls of this scope take a body of whatever type, or of none, as it comes. */
export function acceptRawBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
}

/** The body's length in bytes; undefined when the sender does not declare it. */
export function readContentLength(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

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
