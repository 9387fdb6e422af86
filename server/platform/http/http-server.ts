import fastifyCookie from '@fastify/cookie';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { SELECTION_MAX } from '../../../contracts/selection.ts';
import { MIB } from '../../../contracts/sizes.ts';
import { AppError } from '../lib/app-error.ts';
import type { Log } from '../lib/log.ts';
import { randomId } from '../lib/tokens.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { isByKey } from './bearer.ts';
import { installErrorHandler, sendRefusal, toRefusal } from './error-handler.ts';
import type { IdempotencyDeps } from './idempotency.ts';
import type { Authenticator } from './identity.ts';
import { closeConnectionsWhenIdle } from './idle-connections.ts';
import { observeRequests, REQUEST_ID_HEADER } from './observe-requests.ts';
import type { SecurityLog } from './security-log.ts';

type Options = {
  publicUrl: string;
  trustProxy: string[] | ((address: string, hop: number) => boolean) | false;
  log: Log;
  authenticator: Authenticator;
  metrics: Metrics;
  security: SecurityLog;
  /** Each request is a line of the log. */
  accessLog: boolean;
  /** What calls that name themselves are remembered with. */
  idempotency: IdempotencyDeps;
};

const SECOND = 1000;

/** A bare HTTP server with the house's rules: who may write, what a body may be, how long silence is borne. */
export function createHttpServer(options: Options): FastifyInstance {
  const { publicUrl, trustProxy, log, authenticator, idempotency } = options;
  const headers = securityHeaders(publicUrl);
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Every line of the log has the request's id by itself, also those of rules that know no request.
    childLoggerFactory: (logger) => logger,
    genReqId: randomId,
    trustProxy,
    bodyLimit: MIB,
    // Honest uploads take hours: only silence ends a connection, never total time.
    requestTimeout: 0,
    connectionTimeout: 60 * SECOND,
    keepAliveTimeout: 65 * SECOND,
    http: { headersTimeout: 30 * SECOND, connectionsCheckingInterval: 5 * SECOND },
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: SELECTION_MAX },
    return503OnClosing: false,
    // An address that cannot be read has no route, hence neither hooks nor an error handler.
    frameworkErrors: (error, request, reply) =>
      sendRefusal(request, reply.headers({ ...headers, [REQUEST_ID_HEADER]: request.id }), toRefusal(error)),
  });
  closeConnectionsWhenIdle(app.server);
  observeRequests(app, options);
  app.decorate('security', options.security);
  app.decorateRequest('accountId', undefined);
  app.decorate('authenticator', authenticator);
  app.decorate('idempotency', idempotency);
  app.register(fastifyCookie);
  installBodyParsers(app);
  installErrorHandler(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    refuseForeignWrites(request, publicUrl);
  });
  return app;
}

function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

/** JSON, or the raw stream for the calls that declare one. Forms of other sites carry neither. */
function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined);
    try {
      done(null, JSON.parse(text as string));
    } catch (cause) {
      done(new AppError('malformed_json', { cause }));
    }
  });
  app.addContentTypeParser('application/octet-stream', (request, stream, done) => {
    const raw = (request.routeOptions.config as { rawBody?: boolean }).rawBody === true;
    done(raw ? null : new AppError('unsupported_media_type'), raw ? stream : undefined);
  });
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A browser names the page a write comes from; one that is not ours is refused. */
function refuseForeignWrites({ method, headers }: FastifyRequest, publicUrl: string): void {
  // What a page may not do with its visitor's cookies it cannot do with a key it does not have.
  if (SAFE_METHODS.has(method) || isByKey({ headers })) return;
  if (headers['sec-fetch-site'] === 'cross-site') throw new AppError('cross_origin');
  const { origin, host } = headers;
  if (origin === undefined || origin === publicUrl) return;
  if (!URL.canParse(origin) || new URL(origin).host !== host) throw new AppError('cross_origin');
}
