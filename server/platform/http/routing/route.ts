import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressOf, type Endpoint } from '../../../../contracts/endpoint.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import { AppError } from '../../lib/app-error.ts';
import { drainBody } from '../bodies/raw-body.ts';
import { COMPRESS_FROM, compressStream, compressText, findEncoding, mayCompress } from './compression.ts';
import { type Guard, guardFor } from './guard.ts';
import { type IdempotencyDeps, runIdempotently } from './idempotency.ts';
import type { Authenticator, Exchange, Identity } from './identity.ts';
import { invalidInput } from './invalid-input.ts';
import { PresentedAnswer } from './presented-answer.ts';

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Answer<Schema, Paged> = Schema extends z.ZodType
  ? Paged extends true
    ? Page<z.input<Schema> extends (infer Item)[] ? Item : never>
    : z.input<Schema>
  : unknown;

type HandlerArgs<P, Q, B> = Identity & {
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
  request: FastifyRequest;
  reply: FastifyReply;
};

declare module 'fastify' {
  interface FastifyInstance {
    authenticator: Authenticator;
    idempotency: IdempotencyDeps;
  }
}

/**
 * Mounts a contract: authorizes the caller before the body is read, validates input, and sends only what the
 * response schema declares. Handlers of paged calls return a `Page`; handlers of 'stream' responses write the
 * response before they resolve. Fastify also mounts HEAD for each GET with the same handler, so a handler
 * that records something must check the method.
 */
export function route<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType | 'stream',
  R extends z.ZodType | 'stream' | 'empty',
  Paged extends boolean,
>(
  app: FastifyInstance,
  endpoint: Endpoint<P, Q, B, R, Paged>,
  handler: (args: HandlerArgs<P, Q, B>) => Promise<Answer<R, Paged> | PresentedAnswer<R>>,
): void {
  const guard = guardFor(app, endpoint as Endpoint);
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    config: { rawBody: endpoint.body === 'stream' },
    onRequest: guard ? [(request, reply) => admit(guard, { request, reply })] : [],
    handler: async (request, reply) => {
      const identity = guard ? await guard.identify({ request, reply }) : NOBODY;
      const args: HandlerArgs<P, Q, B> = {
        ...identity,
        params: parse(endpoint.params, request.params, 'params') as Parsed<P>,
        query: parse(endpoint.query, request.query, 'query') as Parsed<Q>,
        body: parse(endpoint.body, request.body, 'body') as Parsed<B>,
        request,
        reply,
      };
      const { response, status } = endpoint;
      if (response === 'stream' || response === 'empty') {
        await handler(args);
        return response === 'stream' ? reply : reply.code(status ?? 204).send();
      }
      // Fastify sends what a handler returns. Returning a reply would make it wait for the end of the response.
      const finish = (body: Json) => {
        reply.code(status ?? 200).headers(JSON_HEADERS);
        if (isUnchanged(body, { request, reply })) {
          reply.code(304);
          return '';
        }
        return compressLarge(body, { request, reply }, endpoint as Endpoint);
      };
      const exchange = { request, reply, identity };
      if (endpoint.idempotent) {
        const answer = async () => present(response, await handler(args)).json;
        return finish(await runIdempotently(app.idempotency, exchange, answer));
      }
      const result: unknown = await handler(args);
      if (!(response instanceof z.ZodArray)) return finish(present(response, result));
      const list = endpoint.paged
        ? linkNextPage(result as Page<unknown>, endpoint.path, args)
        : (result as unknown[]);
      return finish(
        list.length > ITEMS_AT_ONCE
          ? Readable.from(serializeInSlices(response, list))
          : JSON.stringify(response.parse(list)),
      );
    },
  });
}

function present(response: z.ZodType, result: unknown): PresentedAnswer<unknown> {
  return result instanceof PresentedAnswer ? result : PresentedAnswer.of({ response }, result);
}

/** Sets the `ETag` of an answer that has one. */
function isUnchanged(body: Json, { request, reply }: Exchange): boolean {
  if (!(body instanceof PresentedAnswer) || body.etag === undefined) return false;
  reply.header('etag', body.etag);
  return request.headers['if-none-match'] === body.etag;
}

type Json = string | Readable | PresentedAnswer<unknown>;

/** Long lists are streamed. */
async function compressLarge(
  body: Json,
  { request, reply }: Exchange,
  endpoint: Endpoint,
): Promise<string | Readable | Buffer> {
  const content = body instanceof PresentedAnswer ? body.json : body;
  if (typeof content === 'string' && content.length < COMPRESS_FROM) return content;
  if (!mayCompress(endpoint, request)) return content;
  reply.header('vary', 'accept-encoding');
  const encoding = findEncoding(request);
  if (!encoding) return content;
  reply.header('content-encoding', encoding);
  if (body instanceof PresentedAnswer) return body.compress(encoding);
  return typeof content === 'string' ? compressText(content, encoding) : compressStream(content, encoding);
}

type Called = { params: unknown; query: unknown; reply: FastifyReply };

/** RFC 8288; none on the last page. */
function linkNextPage(
  { items, nextCursor }: Page<unknown>,
  path: string,
  { params, query, reply }: Called,
): unknown[] {
  if (nextCursor !== undefined) {
    const next = { ...(query as Record<string, unknown>), cursor: nextCursor };
    reply.header(
      'link',
      `<${addressOf(path, params as Record<string, string> | undefined, next)}>; rel="next"`,
    );
  }
  return items;
}

/** A few milliseconds of validating and serializing. */
const ITEMS_AT_ONCE = 250;

async function* serializeInSlices(schema: z.ZodType, list: unknown[]): AsyncGenerator<string> {
  for (let start = 0; start < list.length; start += ITEMS_AT_ONCE) {
    const json = JSON.stringify(schema.parse(list.slice(start, start + ITEMS_AT_ONCE)));
    yield (start === 0 ? '[' : ',') + json.slice(1, -1);
    await yieldToEventLoop();
  }
  yield ']';
}

const NOBODY = {} as Identity;

/** The client may still be sending the body. */
async function admit(guard: Guard, exchange: Exchange): Promise<void> {
  try {
    await guard.admit(exchange);
  } catch (error) {
    drainBody(exchange.request);
    throw error;
  }
}

/** Responses depend on the moment and the caller, so nothing may cache them. */
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

function parse(schema: z.ZodType | 'stream' | undefined, value: unknown, part: 'params' | 'query' | 'body') {
  if (schema === undefined || schema === 'stream') return undefined;
  const result = schema.safeParse(part === 'body' ? (value ?? {}) : value);
  if (result.success) return result.data;
  // A malformed id doesn't exist.
  if (part === 'params') throw new AppError('not_found');
  throw invalidInput(result.error);
}
