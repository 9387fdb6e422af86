import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { tellFirstProcess, writeMetrics } from '../../platform/metrics/all-workers.ts';
import { addGauges } from './gauges.ts';

/** What any proxy adds unless it was told not to. */
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
 * `/metrics` for Prometheus, no call of the API. With METRICS_TOKEN it asks for that; without one it answers this
 * machine only, and to everybody else there is no such page.
 */
export function metricsRoute(app: FastifyInstance, context: Context): void {
  const { metrics, config } = context;
  addGauges(context);
  tellFirstProcess(metrics);
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

/** Compares digests, which are of one length, in a time that tells nothing. */
function requireToken({ headers }: FastifyRequest, token: string): void {
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(given), digest(token))) throw new AppError('not_signed_in');
}

/**
 * By the connection itself, whatever TRUST_PROXY says. A proxy on this machine connects from here, too: it is known
 * by the headers it adds, by the public name it was asked for, or by the HTTP/1.0 that nginx speaks unless told.
 */
function comesFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  return (
    LOOPBACK.test(raw.socket.remoteAddress ?? '') &&
    PROXY_HEADERS.every((name) => headers[name] === undefined) &&
    LOCAL_HOST.test(headers.host ?? '') &&
    raw.httpVersion === '1.1'
  );
}
