import type { FastifyReply } from 'fastify';

/** Sets the header `Link: <…>; rel="next"` (RFC 8288) to the path of the next page; undefined on the last page. */
export function linkNextPage(reply: FastifyReply, next: string | undefined): void {
  if (next) reply.header('link', `<${next}>; rel="next"`);
}
