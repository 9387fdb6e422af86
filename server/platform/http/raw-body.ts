import type { FastifyInstance } from 'fastify';

/** Lets the calls of this scope take a body of whatever type, or of none, as it comes. */
export function takeAnyBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
}
