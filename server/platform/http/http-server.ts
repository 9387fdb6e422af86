import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import Fastify, {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { JSON_BODY_LIMIT } from '../../../contracts/endpoint.ts';
import { SELECTION_MAX } from '../../../contracts/transfers/downloads/selection.ts';
import { AppError } from '../lib/app-error.ts';
import type { Log } from '../lib/logging/log.ts';
import { randomId } from '../lib/tokens.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { installErrorHandler, sendRefusal, toRefusal } from './error-handler.ts';
import { observeRequests, REQUEST_ID_HEADER, TimedResponse } from './observe-requests.ts';
import type { IdempotencyDeps } from './routing/idempotency.ts';
import type { Authenticator } from './routing/identity.ts';
import { hasBearerCredentials } from './security/bearer.ts';
import { type SecuritySettings, securityHeaders } from './security/security-headers.ts';
import type { SecurityLog } from './security/security-log.ts';

type Options = SecuritySettings & {
  trustProxy: string[] | ((address: string, hop: number) => boolean) | false;
  log: Log;
  authenticator: Authenticator;
  metrics: Metrics;
  security: SecurityLog;
  accessLog: boolean;
  idempotency: IdempotencyDeps;
};

const SECOND = 1000;

export function createHttpServer(options: Options): FastifyInstance {
  const { publicUrl, trustProxy, log, authenticator, idempotency } = options;
  const headers = securityHeaders(options);
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Every log line gets the request id from the async context, even in code that has no request object.
    childLoggerFactory: (logger) => logger,
    genReqId: randomId,
    trustProxy,
    bodyLimit: JSON_BODY_LIMIT,
    // Uploads may take hours: only inactivity ends a connection, never the total time.
    requestTimeout: 0,
    connectionTimeout: 60 * SECOND,
    keepAliveTimeout: 65 * SECOND,
    http: {
      headersTimeout: 30 * SECOND,
      connectionsCheckingInterval: 5 * SECOND,
      ServerResponse: TimedResponse,
    },
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: SELECTION_MAX },
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest(headers),
    // A malformed URL has no route, so neither hooks nor the error handler run.
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
  app.addHook('onRequest', (request, reply, done) => {
    captureAddress(request);
    reply.headers(headers);
    refuseForeignWrites(request, publicUrl);
    done();
  });
  return app;
}

/** Handlers use the address after a disconnect, when the socket no longer has it. */
function captureAddress(request: FastifyRequest): void {
  const address: string | undefined = request.ip;
  Object.defineProperty(request, 'ip', { value: address ?? '' });
}

const BROKEN_REQUESTS: Record<string, [status: string, sentence: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of this request are too large.'],
};
const NOT_HTTP = ['400 Bad Request', 'The request could not be understood.'] as const;

/** Invalid HTTP never reaches the hooks. */
function answerBrokenRequest(headers: Record<string, string>) {
  return (error: ConnectionError, socket: Socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const [status, sentence] = BROKEN_REQUESTS[error.code] ?? NOT_HTTP;
    const lines = Object.entries({
      ...headers,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': sentence.length,
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${sentence}`);
    socket.destroy(error);
  };
}

/** HTML forms of other sites can send neither JSON nor a declared raw stream. */
function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string) => parseJsonBody(text),
  );
  app.addContentTypeParser('application/octet-stream', (request, stream, done) => {
    const raw = (request.routeOptions.config as { rawBody?: boolean }).rawBody === true;
    done(raw ? null : new AppError('unsupported_media_type'), raw ? stream : undefined);
  });
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

function refuseForeignWrites({ method, headers }: FastifyRequest, publicUrl: string): void {
  // CSRF needs cookies; a foreign page doesn't have the bearer token.
  if (SAFE_METHODS.has(method) || hasBearerCredentials({ headers })) return;
  if (headers['sec-fetch-site'] === 'cross-site') throw new AppError('cross_origin');
  const { origin, host } = headers;
  if (origin === undefined || origin === publicUrl) return;
  if (!URL.canParse(origin) || new URL(origin).host !== host) throw new AppError('cross_origin');
}

const JSON_DEPTH_MAX = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Checks the depth before parsing, so that recursive code cannot overflow the stack. Throws AppError
 * `json_too_deep`, `malformed_json`.
 */
function parseJsonBody(text: string): unknown {
  if (text === '') return undefined;
  requireShallow(text);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}

function requireShallow(text: string): void {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) throw new AppError('json_too_deep', { details: { depth: JSON_DEPTH_MAX } });
    } else if (CLOSING.has(code)) depth -= 1;
  }
}

/**
 * Makes `server.close()` end each connection once its last response is fully sent. Node considers a
 * connection idle after `response.end()`, which cuts off the last block of a slow download, and leaves
 * connections open that were busy at `close()`. Call it before the server listens.
 */
export function closeConnectionsWhenIdle(server: Server): void {
  /** Responses not yet handed to the kernel. */
  const unsent = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    unsent.set(socket, 0);
    socket.once('close', () => unsent.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    unsent.set(socket, (unsent.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (unsent.get(socket) ?? 1) - 1;
      if (socket.destroyed) return;
      unsent.set(socket, left);
      if (left === 0 && !server.listening) socket.destroySoon();
    });
  });
  server.closeIdleConnections = () => {
    for (const [socket, answers] of unsent) if (answers === 0) socket.destroy();
  };
}
