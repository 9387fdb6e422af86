import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MIB } from '../../../../contracts/values/sizes.ts';

/** Makes the routes of this scope accept a body of any content type, or none, as a raw stream. */
export function acceptRawBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
}

/** The declared length of the body in bytes, if there is one. */
export function readContentLength(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Reads at most this much of a refused body, so that its sender gets the response. Then the connection is closed. */
const DRAINED_BYTES = 64 * MIB;

/** Discards the rest of a body, so that a kept-alive connection can go on to its next request. */
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
