import type { FastifyInstance } from 'fastify';
import { BACKCHANNEL_LOGOUT_PATH } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import * as contract from '../../../../contracts/admin/identity-providers.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { identityProviders } from '../../accounts/index.ts';
import { type By, byCaller, recordAct } from '../audit.ts';

export function identityProviderRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listIdentityProviders, async () => ({
    redirectUri: identityProviders.redirectUriOf(context.config),
    backchannelLogoutUri: context.config.publicUrl + BACKCHANNEL_LOGOUT_PATH,
    postLogoutRedirectUri: identityProviders.postLogoutRedirectUriOf(context.config),
    providers: await identityProviders.listForAdmins(context),
  }));

  route(app, contract.createIdentityProvider, async (call) => {
    const { issuer, clientSecret, ...input } = call.body;
    const { id } = await act(context, byCaller(context, call), 'create', async (deps) => ({
      provider: await identityProviders.createProvider(deps, call.body),
      details: { issuer, ...input, hasSecret: Boolean(clientSecret) },
    }));
    return identityProviders.getForAdmins(context, id);
  });

  route(app, contract.updateIdentityProvider, async (call) => {
    const { clientSecret, ...input } = call.body;
    const { id } = await act(context, byCaller(context, call), 'update', async (deps) => ({
      provider: await identityProviders.updateProvider(deps, call.params.id, call.body),
      details: { ...input, ...(clientSecret !== undefined && { hasSecret: Boolean(clientSecret) }) },
    }));
    return identityProviders.getForAdmins(context, id);
  });

  route(app, contract.deleteIdentityProvider, async (call) => {
    await act(context, byCaller(context, call), 'delete', async (deps) => ({
      provider: await identityProviders.deleteProvider(deps, call.params.id),
    }));
  });

  route(app, contract.testIdentityProvider, async (call) => {
    const { issuer } = call.body;
    const by = byCaller(context, call);
    // First, because the server then connects to the address.
    await transaction(context.db, (trx) =>
      recordAct(trx, { ...by, action: 'identity-provider.test', subject: issuer }),
    );
    return identityProviders.testProvider(context, issuer);
  });

  route(app, contract.checkProviderDomain, async (call) => {
    const key = { providerId: call.params.id, domain: call.body.domain };
    const provider = await identityProviders.findProvider(context, key.providerId);
    if (!provider?.domains.includes(key.domain)) throw new AppError('provider_not_found');
    const outcome = await identityProviders.lookUpRecord(context.config, key);
    await act(context, byCaller(context, call), 'check-domain', async (deps) => {
      await identityProviders.recordLookUp(deps, key, outcome);
      return { provider, details: { domain: key.domain, outcome } };
    });
    return identityProviders.getForAdmins(context, key.providerId);
  });
}

type InTransaction = Omit<Context, 'db'> & { db: Trx };
type Done = {
  provider: { id: string; name: string };
  /** Never the client secret. */
  details?: Record<string, unknown>;
};

async function act(
  context: Context,
  by: By,
  verb: 'create' | 'update' | 'delete' | 'check-domain',
  change: (deps: InTransaction) => Promise<Done>,
): Promise<{ id: string }> {
  return transaction(context.db, async (trx) => {
    const { provider, details } = await change({ ...context, db: trx });
    await recordAct(trx, {
      ...by,
      action: `identity-provider.${verb}`,
      subject: provider.name,
      subjectId: provider.id,
      ...(details && { details }),
    });
    return provider;
  });
}
