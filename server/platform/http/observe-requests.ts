import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../lib/logging/log.ts';
import { runInRequest } from '../lib/logging/request-scope.ts';
import { randomId } from '../lib/tokens.ts';
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

type Observed = { startedAt: number; headAt: number | undefined; exchange: Exchange };

type Options = {
  metrics: Metrics;
  log: Log;
  /** Each request is a line of the log: of level info, or of debug. */
  accessLog: boolean;
};

export const REQUEST_ID_HEADER = 'x-request-id';
const WELL_FORMED = /^[A-Za-z0-9._:-]{8,100}$/;
const UNKNOWN = 'unknown';

/**
 * Gives each request its id (`request.id`, every line of the log, the answer's X-Request-Id), counts and times it.
 * What is noted is its pattern and ids in it, never the address: that may hold a share token or a signature.
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
    request.observed = { startedAt: performance.now(), headAt: undefined, exchange };
    recordHeadTime(reply.raw, request.observed);
    // Not the framework's hook: that does not hear of answers that are broken off.
    reply.raw.once('close', () => count(request, reply));
    runInRequest({ requestId: request.id }, done);
  });
  const count = (request: FastifyRequest, reply: FastifyReply) => {
    const { startedAt, headAt, exchange } = request.observed!;
    metrics.traffic.end(exchange);
    const wholeSeconds = (performance.now() - startedAt) / 1000;
    const route = request.routeOptions.url ?? UNKNOWN;
    metrics.countRequest({
      // A server is asked all sorts of things; those it does not know share one label.
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

/** A new id, or that of a proxy we trust: only then its header is no invention of the caller's. */
function chooseRequestId({ headers, ips }: FastifyRequest): string {
  const given = headers[REQUEST_ID_HEADER];
  const isFromTrustedProxy = ips !== undefined && ips.length > 1;
  return isFromTrustedProxy && typeof given === 'string' && WELL_FORMED.test(given) ? given : randomId();
}

/** When the answer’s head was written, whoever writes it. */
function recordHeadTime(response: ServerResponse, observed: Observed): void {
  const { writeHead } = response;
  response.writeHead = function (this: ServerResponse, ...head: unknown[]) {
    observed.headAt = performance.now();
    return Reflect.apply(writeHead, this, head);
  } as typeof writeHead;
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

/** Ids name rows and open nothing; tokens and signatures do. */
function safeIds(params: unknown): Record<string, string> {
  const entries = Object.entries((params ?? {}) as Record<string, unknown>).filter(
    ([name, value]) =>
      (name === 'id' || name.endsWith('Id')) && typeof value === 'string' && value.length <= 64,
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
