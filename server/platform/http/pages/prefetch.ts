import type { FastifyRequest } from 'fastify';

/** Whether a browser or a mail scanner asks on the chance that somebody may want it. */
export function isPrefetch({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-moz']];
  return purposes.some((purpose) => purpose !== undefined && String(purpose).startsWith('prefetch'));
}
