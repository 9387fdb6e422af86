import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_BODY_LIMIT } from '../../../contracts/endpoint.ts';
import { type ErrorCode, errorTitle, type Problem } from '../../../contracts/errors.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { type RefusalTexts, translateRefusal } from '../language/refusals.ts';
import { AppError } from '../lib/app-error.ts';
import { requestLanguage } from './pages/wanted-languages.ts';
import { challengeFor, hasBearerCredentials } from './security/bearer.ts';

const FASTIFY_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_NOT_FOUND: 'not_found',
};

/**
 * Answers errors with a plain sentence, or with RFC 9457 problem details for callers that accept JSON or use
 * a bearer token. Sentences are in the language of the pages, or of Accept-Language; English for callers with a bearer
 * token. Unexpected errors are logged and become 500.
 */
export function installErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const refusal = isTooLarge(error) ? bodyTooLarge(request) : toRefusal(error);
    // Without a cause, a rule refused the call and nothing is broken.
    if (refusal.status >= 500 && refusal.cause) {
      const { url: route } = request.routeOptions;
      request.log.error({ err: refusal.cause, refusal: refusal.code, route }, 'request failed');
    }
    if (reply.raw.headersSent) return void reply.raw.destroy();
    sendRefusal(request, reply, refusal);
  });
}

function isTooLarge({ code }: FastifyError | AppError): boolean {
  return code === 'FST_ERR_CTP_BODY_TOO_LARGE';
}

function bodyTooLarge({ routeOptions: { bodyLimit } }: FastifyRequest): AppError {
  const limit = bodyLimit ?? JSON_BODY_LIMIT;
  const message = `The request body is too large. This call accepts at most ${formatSize(limit)}.`;
  return new AppError('body_too_large', { message });
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: AppError): void {
  request.server.metrics.countRefusal(refusal.code);
  request.server.security.recordRefusal(request, refusal);
  reply.code(refusal.status).header('cache-control', 'no-store');
  const retryAfter = refusal.retryAfterSeconds ?? (refusal.status === 503 ? 5 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  const missing = refusal.details.contentRange;
  if (typeof missing === 'string') reply.header('content-range', missing);
  const challenge = refusal.status === 401 || refusal.code === 'api_key_scope';
  if (challenge) reply.header('www-authenticate', challengeFor(refusal));
  const isProgram = hasBearerCredentials(request);
  const language = (!isProgram && requestLanguage(request)) || 'en';
  const texts = translateRefusal(refusal, language);
  reply.header('content-language', language).header('vary', 'accept-language, cookie');
  if (wantsJson(request) || isProgram) {
    reply
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(toProblem(refusal, texts, request.id)));
  } else {
    reply.type('text/plain; charset=utf-8').send(texts.detail);
  }
}

export function toRefusal(error: FastifyError | AppError): AppError {
  if (error instanceof AppError) return error;
  const code = FASTIFY_CODES[error.code];
  if (code) return new AppError(code, { cause: error });
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new AppError('bad_request', { cause: error });
  return new AppError('internal', { cause: error });
}

function wantsJson({ headers }: FastifyRequest): boolean {
  return /\bapplication\/(problem\+)?json\b/i.test(headers.accept ?? '');
}

/** The title is for programs, like the code, and stays English. */
function toProblem(refusal: AppError, { detail, errors }: RefusalTexts, requestId: string): Problem {
  return {
    ...refusal.details,
    type: `urn:sendwell:error:${refusal.code}`,
    title: errorTitle(refusal.code),
    status: refusal.status,
    detail,
    code: refusal.code,
    // For users to quote; the log has the same id.
    ...(refusal.status >= 500 && { requestId }),
    ...(errors && { errors }),
  };
}
