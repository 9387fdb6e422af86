import type { FastifyInstance } from 'fastify';
import {
  getMailSubscription,
  resubscribe,
  unsubscribe,
} from '../../../contracts/accounts/mail-preferences.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { endSubscription, findSubscription, resumeSubscription } from './unsubscribe.ts';

export function noticeRoutes(app: FastifyInstance, context: Context): void {
  route(app, getMailSubscription, ({ params: { token } }) => findSubscription(context, token));
  route(app, resubscribe, ({ params: { token } }) => resumeSubscription(context, token));
  app.register(async (scope) => {
    takeAnyBody(scope);
    route(scope, unsubscribe, ({ params: { token } }) => endSubscription(context, token));
  });
}

const FORM_BYTES = 1024;

/**
 * A mail program posts `List-Unsubscribe=One-Click` as a form of either kind (RFC 8058). The token in the path
 * says it all, so the body is read and forgotten. Only for this call: elsewhere forms of other sites stay out.
 */
function takeAnyBody(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, _body, done) =>
    done(null),
  );
}
