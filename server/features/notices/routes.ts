import type { FastifyInstance } from 'fastify';
import {
  getMailSubscription,
  resubscribe,
  unsubscribe,
} from '../../../contracts/accounts/mail-preferences.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { endSubscription, findSubscription, resumeSubscription } from './unsubscribe.ts';

export function noticeRoutes(app: FastifyInstance, context: Context): void {
  route(app, getMailSubscription, ({ params: { token } }) => findSubscription(context, token));
  route(app, resubscribe, ({ params: { token } }) => resumeSubscription(context, token));
  app.register(async (scope) => {
    acceptAnyBody(scope);
    route(scope, unsubscribe, ({ params: { token } }) => endSubscription(context, token));
  });
}

const FORM_BYTES = 1024;

/**
 * Mail clients post `List-Unsubscribe=One-Click` as a form (RFC 8058). The token in the path suffices, so the body is
 * ignored. Other routes reject forms, because those could be cross-site.
 */
function acceptAnyBody(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, _body, done) =>
    done(null),
  );
}
