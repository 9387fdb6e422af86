import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { reportToPrimary, writeMetrics } from '../../platform/metrics/all-workers.ts';
import { addGauges } from './gauges.ts';

const PROXY_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'via',
];
const LOOPBACK = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Serves `/metrics` for Prometheus; it is not part of the API. Requires METRICS_TOKEN if set. Otherwise it answers
 * only this machine, and 404 to others.
 */
export function metricsRoute(app: FastifyInstance, context: Context): void {
  const { metrics, config } = context;
  addGauges(context);
  reportToPrimary(metrics);
  app.get('/metrics', async (request, reply) => {
    if (config.metricsToken !== undefined) requireToken(request, config.metricsToken);
    else if (!comesFromThisMachine(request)) throw new AppError('not_found');
    metrics.addProcessMetrics();
    try {
      const text = await writeMetrics(metrics.registry);
      return reply.type(metrics.registry.contentType).header('cache-control', 'no-store').send(text);
    } catch (cause) {
      throw new AppError('unavailable', { cause });
    }
  });
}

/** Compares digests, because `timingSafeEqual` needs equal lengths. */
function requireToken({ headers }: FastifyRequest, token: string): void {
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(given), digest(token))) throw new AppError('not_signed_in');
}

/**
 * Checks the connection itself, regardless of TRUST_PROXY. A proxy on this machine is recognized by the headers it
 * adds, the public host name, or HTTP/1.0, which nginx uses by default.
 */
function comesFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  return (
    LOOPBACK.test(raw.socket.remoteAddress ?? '') &&
    PROXY_HEADERS.every((name) => headers[name] === undefined) &&
    LOCAL_HOST.test(headers.host ?? '') &&
    raw.httpVersion === '1.1'
  );
}
