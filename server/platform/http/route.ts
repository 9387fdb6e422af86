import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Access, Endpoint } from '../../../contracts/endpoint.ts';
import { AppError } from '../lib/app-error.ts';
import type { Authenticator, Identity } from './identity.ts';
import { invalidInput } from './invalid-input.ts';

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Answer<Schema> = Schema extends z.ZodType ? z.input<Schema> : unknown;

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
  }
}

/**
 * Mounts a contract: guards by its access, parses params, query and body, and sends only what its response
 * schema declares. A handler of a public call has no `user`; it asks `app.authenticator` if it wants one.
 * A handler of a 'stream' response has written the answer itself when it resolves.
 */
export function route<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType | 'stream',
  R extends z.ZodType | 'stream' | 'empty',
>(
  app: FastifyInstance,
  endpoint: Endpoint<P, Q, B, R>,
  handler: (args: HandlerArgs<P, Q, B>) => Promise<Answer<R>>,
): void {
  const guard = guardFor(app, endpoint.access);
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    ...(endpoint.method === 'GET' && { exposeHeadRoute: endpoint.response === 'stream' }),
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    config: { rawBody: endpoint.body === 'stream' },
    handler: async (request, reply) => {
      const identity = await guard(request, reply);
      const answer = await handler({
        ...identity,
        params: parse(endpoint.params, request.params, 'params') as Parsed<P>,
        query: parse(endpoint.query, request.query, 'query') as Parsed<Q>,
        body: parse(endpoint.body, request.body, 'body') as Parsed<B>,
        request,
        reply,
      });
      if (endpoint.response === 'stream') return reply;
      if (endpoint.response === 'empty') return reply.code(endpoint.status ?? 204).send();
      return reply
        .code(endpoint.status ?? 200)
        .headers(JSON_HEADERS)
        .send(JSON.stringify((endpoint.response as z.ZodType).parse(answer)));
    },
  });
}

/** Answers are about now and about this caller: nobody keeps them. */
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

function parse(schema: z.ZodType | 'stream' | undefined, value: unknown, part: 'params' | 'query' | 'body') {
  if (schema === undefined || schema === 'stream') return undefined;
  const result = schema.safeParse(part === 'body' ? (value ?? {}) : value);
  if (result.success) return result.data;
  // An id that cannot exist is unknown, like any other that does not.
  if (part === 'params') throw new AppError('not_found');
  throw invalidInput(result.error);
}

const NOBODY = {} as Identity;

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<Identity>;

function guardFor(app: FastifyInstance, access: Access): Guard {
  if (access === 'public') return async () => NOBODY;
  if (access === 'uploader') return (request, reply) => identifyUploader(app, request, reply);
  return async (request) => {
    const identity =
      access === 'pending'
        ? await app.authenticator.pending(request)
        : await app.authenticator.session(request);
    if (!identity) throw new AppError('not_signed_in');
    if (access === 'pending' || access === 'session') return identity;
    if (!identity.user.emailVerified) throw new AppError('email_not_verified');
    if (access === 'admin' && !identity.user.isAdmin) throw new AppError('not_allowed');
    return identity;
  };
}

/** A visitor says so; whoever does not is to be signed in. */
async function identifyUploader(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Identity> {
  const token = invitationTokenOf(request.query) ?? invitationTokenOf(request.body);
  if (token === undefined) return guardFor(app, 'signed-in')(request, reply);
  const identity = await app.authenticator.visitor({ request, reply }, token);
  if (!identity) throw new AppError('visitor_not_verified');
  return identity;
}

function invitationTokenOf(input: unknown): string | undefined {
  const token = (input as { invitationToken?: unknown } | undefined | null)?.invitationToken;
  return typeof token === 'string' ? token : undefined;
}
