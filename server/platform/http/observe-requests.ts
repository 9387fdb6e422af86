import { type IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../lib/logging/log.ts';
import { runInRequest } from '../lib/logging/request-scope.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Exchange, kindOfRoute } from '../metrics/traffic.ts';

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Metrics;
  }
  interface FastifyRequest {
    observed: Observed | undefined;
  }
}

type Observed = { startedAt: number; exchange: Exchange };

type Options = {
  metrics: Metrics;
  log: Log;
  accessLog: boolean;
};

export const REQUEST_ID_HEADER = 'x-request-id';
const WELL_FORMED = /^[A-Za-z0-9._:-]{8,100}$/;
const UNKNOWN = 'unknown';

/** Records when the head of a response is written. */
export class TimedResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  headAt: number | undefined;

  override writeHead(...head: unknown[]): this {
    this.headAt = performance.now();
    return Reflect.apply(super.writeHead, this, head) as this;
  }
}

/**
 * Gives each request an id (log lines, X-Request-Id), and counts and times it. Logs the route pattern, never
 * the URL, which may contain a share token or a signature.
 */
export function observeRequests(app: FastifyInstance, { metrics, log, accessLog }: Options): void {
  app.decorate('metrics', metrics);
  app.decorateRequest('observed', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    request.id = chooseRequestId(request);
    reply.header(REQUEST_ID_HEADER, request.id);
    const { method, routeOptions, raw } = request;
    const kind = kindOfRoute(method, routeOptions.url ?? UNKNOWN);
    const exchange = metrics.traffic.begin(raw.socket, kind);
    request.observed = { startedAt: performance.now(), exchange };
    // Fastify's hook doesn't run for aborted responses.
    reply.raw.once('close', () => count(request, reply));
    runInRequest({ requestId: request.id }, done);
  });
  const count = (request: FastifyRequest, reply: FastifyReply) => {
    const { startedAt, exchange } = request.observed!;
    const { headAt } = reply.raw as TimedResponse;
    metrics.traffic.end(exchange);
    const wholeSeconds = (performance.now() - startedAt) / 1000;
    const route = request.routeOptions.url ?? UNKNOWN;
    metrics.countRequest({
      // Unknown routes share one label, because scanners request anything.
      method: route === UNKNOWN ? UNKNOWN : request.method,
      route,
      status: reply.raw.statusCode,
      firstByteSeconds: headAt === undefined ? undefined : (headAt - startedAt) / 1000,
      wholeSeconds,
      movesBytes: exchange.kind !== 'other',
    });
    if (accessLog) log.info(describeRequest(request, reply, wholeSeconds), 'request');
    else if (log.isLevelEnabled?.('debug'))
      log.debug(describeRequest(request, reply, wholeSeconds), 'request');
  };
}

/** An id is taken only from a trusted proxy; otherwise the caller would control it. */
function chooseRequestId({ id, headers, ips }: FastifyRequest): string {
  const given = headers[REQUEST_ID_HEADER];
  const isFromTrustedProxy = ips !== undefined && ips.length > 1;
  return isFromTrustedProxy && typeof given === 'string' && WELL_FORMED.test(given) ? given : id;
}

function describeRequest(request: FastifyRequest, reply: FastifyReply, seconds: number) {
  return {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? UNKNOWN,
    ...safeIds(request.params),
    status: reply.raw.statusCode,
    ms: Math.round(seconds * 1000),
    ...(!reply.raw.writableFinished && { brokenOff: true }),
  };
}

/** Ids grant no access; tokens and signatures do. */
function safeIds(params: unknown): Record<string, string> {
  const entries = Object.entries((params ?? {}) as Record<string, unknown>).filter(
    ([name, value]) =>
      (name === 'id' || name.endsWith('Id')) && typeof value === 'string' && value.length <= 64,
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
