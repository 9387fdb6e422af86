import type { FastifyRequest } from 'fastify';

/** Browsers and mail scanners fetch pages that nobody has opened. */
export function isPrefetch({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-moz']];
  return purposes.some((purpose) => purpose !== undefined && String(purpose).startsWith('prefetch'));
}
