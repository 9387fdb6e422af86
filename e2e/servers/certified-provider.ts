import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Account, type Configuration } from 'oidc-provider';
import { findFreePort } from '../../testing/network/free-port.ts';
import type { JourneyServer } from './journey-server.ts';

export const CLIENT = { id: 'sendwell', secret: 'a secret between two servers' };

/** The value of the button that ends a sign-in without an answer. */
const CANCEL = 'cancel';

/**
 * `oidc-provider`, which is certified by the OpenID Foundation. Its sign-in page asks for an email address, which
 * becomes the account; addresses that begin with "unconfirmed" are not confirmed.
 */
export class CertifiedProvider {
  readonly issuer: string;
  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  /** At another host than the product, so that its cookies are those of another site. */
  static async start(product: JourneyServer): Promise<CertifiedProvider> {
    const port = await findFreePort();
    const issuer = `http://localhost:${port}`;
    const provider = new Provider(issuer, await configurationFor(product));
    const answer = provider.callback();
    const server = createServer((request, response) => {
      const isInteraction = request.url?.startsWith('/interaction/');
      if (isInteraction) void interact(provider, request, response).catch(() => response.destroy());
      else void answer(request, response);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return new CertifiedProvider(issuer, server);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function configurationFor({ url }: JourneyServer): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${url}/api/sign-in/sso/callback`],
        post_logout_redirect_uris: [`${url}/auth?signed-out`],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'journeys', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['for journeys only'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, email): Account => ({
      accountId: email,
      claims: () => ({
        sub: email,
        email,
        email_verified: !email.startsWith('unconfirmed'),
        name: 'Nora Nordlicht',
      }),
    }),
    // Everybody agrees to everything.
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc;
      const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(SIGN_IN_PAGE);
    return;
  }
  const form = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString());
  const result =
    form.get('action') === CANCEL
      ? { error: 'access_denied', error_description: 'Cancelled by the person.' }
      : { login: { accountId: form.get('email') ?? '' } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

const SIGN_IN_PAGE = `<!doctype html>
<html lang="en">
  <title>Nordlicht</title>
  <form method="post">
    <label>Work email <input name="email" type="email"></label>
    <button name="action" value="sign-in">Sign in at Nordlicht</button>
    <button name="action" value="${CANCEL}">Cancel</button>
  </form>
</html>`;
