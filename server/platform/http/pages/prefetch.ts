import type { FastifyRequest } from 'fastify';

/** Whether a browser or mail scanner prefetches the page without a person having opened it. */
export function isPrefetch({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-moz']];
  return purposes.some((purpose) => purpose !== undefined && String(purpose).startsWith('prefetch'));
}
