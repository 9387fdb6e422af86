import type { FastifyInstance } from 'fastify';
import * as contract from '../../../../contracts/accounts/sign-in/factors.ts';
import type { Context } from '../../../context.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { bindPasskeyRequest, readAttemptToken } from '../sign-in/sessions/cookies.ts';
import { listFactors } from './factors.ts';
import { addPasskey, beginPasskey } from './passkeys/new-passkeys.ts';
import { removePasskey, renamePasskey } from './passkeys/passkeys.ts';
import { renewRecoveryCodes } from './recovery-codes.ts';
import { beginTotp, confirmTotp, removeTotp } from './totp.ts';

export function factorRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listFactors, ({ user }) => listFactors(context, user));

  route(app, contract.beginTotp, ({ user }) => beginTotp(context, user));

  route(app, contract.confirmTotp, async ({ user, sessionId, body, request }) => {
    const codes = await confirmTotp(context, { user, sessionId }, { code: body.code, request });
    context.security.record(request, 'factor.added', { method: 'totp' });
    return codes;
  });

  route(app, contract.removeTotp, async ({ user, request }) => {
    await removeTotp(context, user.id, request);
    context.security.record(request, 'factor.removed', { method: 'totp' });
  });

  route(app, contract.beginPasskey, ({ user, request, reply }) =>
    beginPasskey(context, user, { browser: bindPasskeyRequest(context, request, reply) }),
  );

  route(app, contract.addPasskey, async ({ user, sessionId, body, request }) => {
    const browser = readAttemptToken(context, request, 'sendwell_passkey');
    const added = await addPasskey(
      context,
      { user, sessionId },
      { response: body.response, browser, request },
    );
    context.security.record(request, 'factor.added', { method: 'passkey' });
    return added;
  });

  route(app, contract.renamePasskey, ({ user, params, body }) =>
    renamePasskey(context, { userId: user.id, id: params.id, name: body.name }),
  );

  route(app, contract.removePasskey, async ({ user, params, request }) => {
    await removePasskey(context, { userId: user.id, id: params.id }, request);
    context.security.record(request, 'factor.removed', { method: 'passkey' });
  });

  route(app, contract.renewRecoveryCodes, async ({ user, request }) => {
    const recoveryCodes = await renewRecoveryCodes(context, user.id, request);
    context.security.record(request, 'recovery_codes.created');
    return { recoveryCodes };
  });
}
