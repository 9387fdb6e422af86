import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ERRORS, errorMessage } from '../../../contracts/errors.ts';
import { FilesQuery } from '../../../contracts/transfers/file-pages.ts';
import { Id } from '../../../contracts/values/fields.ts';
import { plainSharePath } from '../../../contracts/values/links.ts';
import type { Context } from '../../context.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { renderBlocked, renderNotFound, renderPlainPage, renderTakenDown } from './plain-page.ts';
import { showTransfer, type Viewing } from './viewing.ts';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** What may go wrong with a password, as the form leads back with it. */
const PROBLEMS = {
  invalid_input: 'Please enter the password',
  wrong_password: `${errorMessage('wrong_password')}. Please check your password and try again.`,
  too_many_requests: 'Too many tries. Please wait a few minutes and try again.',
} as const satisfies Partial<Record<keyof typeof ERRORS, string>>;

const Query = FilesQuery.extend({
  cursor: FilesQuery.shape.cursor.catch(undefined),
  r: Id.optional().catch(undefined),
  problem: z
    .enum(Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[])
    .optional()
    .catch(undefined),
});

/** A page and no call, hence not among the contracts; it goes through the same gate as the view. */
export function plainPageRoutes(app: FastifyInstance, context: Context, viewing: Viewing): void {
  app.get(`${plainSharePath(':token')}`, async (request, reply) => {
    const { token } = request.params as { token: string };
    const { r: recipientToken, problem, cursor } = Query.parse(request.query);
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    });
    try {
      const view = await showTransfer(context, viewing, { token, recipientToken, cursor, request });
      // The page of a transfer that is being scanned loads itself again.
      if (view.isChecking) reply.header('refresh', '10');
      const sentence = problem && PROBLEMS[problem];
      return reply
        .code(view.isExpired ? ERRORS.transfer_expired.status : 200)
        .send(renderPlainPage(view, { token, recipientToken, problem: sentence, cursor }));
    } catch (error) {
      if (isAppError(error, 'transfer_taken_down')) return reply.code(error.status).send(renderTakenDown());
      if (isAppError(error, 'transfer_blocked')) return reply.code(error.status).send(renderBlocked());
      if (!isAppError(error, 'transfer_not_found')) throw error;
      return reply.code(error.status).send(renderNotFound());
    }
  });
}
