import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import {
  BACKCHANNEL_LOGOUT_PATH,
  SSO_CALLBACK_PATH,
} from '../../contracts/accounts/sign-in/single-sign-on.ts';
import { CookieJar } from '../calls/cookie-jar.ts';
import type { TestServer } from '../test-context.ts';

export const REAL_CLIENT = { clientId: 'sendwell', clientSecret: 'a secret that is long enough' };
const INTERACTION = '/interaction/';

/** `oidc-provider`, which is certified, with people who sign in without typing. */
export class RealProvider {
  issuer = '';
  /** Who signs in. */
  account = 'nora';
  #provider: Provider | undefined;

  static async start(t: TestContext, server: TestServer): Promise<RealProvider> {
    const real = new RealProvider();
    const listener = createServer((request, response) => real.#answer(request, response));
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    real.issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    real.#provider = await createProvider(real.issuer, server);
    t.after(() => {
      listener.closeAllConnections();
      listener.close();
    });
    return real;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const isInteraction = request.url?.startsWith(INTERACTION);
    if (!isInteraction) return void this.#provider!.callback()(request, response);
    this.#interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
  }

  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider!;
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: this.account } });
      return;
    }
    const clientId = params.client_id as string;
    const grant =
      (grantId && (await provider.Grant.find(grantId))) ||
      new provider.Grant({ accountId: session!.accountId, clientId });
    grant.addOIDCScope(params.scope as string);
    const consent = { consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, consent, { mergeWithLastSubmission: true });
  }
}

async function createProvider(issuer: string, { url, context }: TestServer): Promise<Provider> {
  const { publicUrl } = context.config;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const { clientId: client_id, clientSecret: client_secret } = REAL_CLIENT;
  return new Provider(issuer, {
    clients: [
      {
        client_id,
        client_secret,
        redirect_uris: [publicUrl + SSO_CALLBACK_PATH],
        post_logout_redirect_uris: [`${publicUrl}/auth?signed-out`],
        backchannel_logout_uri: url + BACKCHANNEL_LOGOUT_PATH,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'real', use: 'sig', alg: 'RS256' } as never] },
    cookies: { keys: ['a key for the cookies of a test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    // By default it connects to no loopback address.
    fetch: (address, init) => fetch(address, { ...init, dispatcher: undefined } as RequestInit),
    interactions: { url: (_context, { uid }) => INTERACTION + uid },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: `${sub}@example.net`,
        email_verified: true,
        name: `${sub[0]!.toUpperCase()}${sub.slice(1)}`,
      }),
    }),
  });
}

/** The part of a browser that visits the provider. */
export class ProviderBrowser {
  readonly #jar = new CookieJar();

  /** Follows redirects until one leads to Sendwell; returns the query with which the provider sends the browser back. */
  async visit(url: string, init?: RequestInit): Promise<URLSearchParams> {
    let next = new URL(url);
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await this.fetch(next, steps === 0 ? init : {});
      const location = response.headers.get('location');
      if (!location) throw new Error(`${response.status}: ${await response.text()}`);
      next = new URL(location, next);
      if (next.pathname === SSO_CALLBACK_PATH) return next.searchParams;
    }
    throw new Error('too many redirects');
  }

  async fetch(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = this.#jar.headerFor(url.pathname);
    const response = await fetch(url, { ...init, headers: { ...init.headers, cookie }, redirect: 'manual' });
    this.#jar.keep(response.headers.getSetCookie(), url.pathname);
    return response;
  }
}
