import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { SECOND_MS } from '../../contracts/values/durations.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** What one test lets the provider do wrong. Everything else stays right. */
export type Tampering = {
  /** Changes the ID token's claims; undefined values are left out. */
  claims?: (claims: JWTPayload, provider: HostileProvider) => JWTPayload;
  header?: { alg?: string; kid?: string | undefined; typ?: string };
  /** Makes the whole ID token. */
  token?: (claims: JWTPayload, provider: HostileProvider) => Promise<string | undefined>;
  tokenEndpoint?: (response: ServerResponse, provider: HostileProvider) => void;
  keys?: (keys: JWK[]) => unknown;
  discovery?: (document: Record<string, unknown>) => Record<string, unknown>;
  discoveryEndpoint?: (response: ServerResponse) => void;
  userinfo?: (claims: Record<string, unknown>) => Record<string, unknown>;
};

export type Person = {
  sub: unknown;
  email?: string;
  email_verified?: unknown;
  name?: string;
  [claim: string]: unknown;
};

type Grant = { nonce: string | null; challenge: string | null; clientId: string; person: Person };

export const CLIENT_ID = 'sendwell';
export const KEY_ID = 'key-1';
const LIFETIME = 300;

/** Shared by all providers, because making them is slow. */
const keyPairs = Promise.all([makeKeys(), makeKeys()]);

/** An OpenID Connect provider with its own keys, which can answer wrongly in any way. */
export class HostileProvider {
  issuer = '';
  readonly keys: KeyPair;
  readonly otherKeys: KeyPair;
  tampering: Tampering = {};
  /** Requests by path. */
  readonly seen = new Map<string, number>();
  readonly #grants = new Map<string, Grant>();
  #codes = 0;

  private constructor(keys: KeyPair, otherKeys: KeyPair) {
    this.keys = keys;
    this.otherKeys = otherKeys;
  }

  static async start(t: Pick<TestContext, 'after'>): Promise<HostileProvider> {
    const provider = new HostileProvider(...(await keyPairs));
    const server = createServer((request, response) => {
      provider.#answer(request, response).catch(() => response.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return provider;
  }

  /** What the authorization endpoint would do: returns the answer's parameters for the redirect URI. */
  authorize(url: string, person: Person): URLSearchParams {
    const { searchParams } = new URL(url);
    this.#codes += 1;
    const code = `code-${this.#codes}`;
    this.#grants.set(code, {
      nonce: searchParams.get('nonce'),
      challenge: searchParams.get('code_challenge'),
      clientId: searchParams.get('client_id') ?? '',
      person,
    });
    return new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: this.issuer });
  }

  /** Signs with the published key. */
  sign(claims: JWTPayload, header: Tampering['header'] = {}, keys = this.keys): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, ...header })
      .sign(keys.privateKey);
  }

  /** A right logout token, but for `changes`. */
  signLogoutToken(changes: Record<string, unknown>): Promise<string> {
    const now = nowInSeconds();
    this.#codes += 1;
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const right = { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + LIFETIME, events: event };
    const claims = { ...right, jti: `logout-${this.#codes}`, ...changes };
    return this.sign(claims, { typ: 'logout+jwt' });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]!;
    this.seen.set(path, (this.seen.get(path) ?? 0) + 1);
    const { tampering } = this;
    switch (path) {
      case '/.well-known/openid-configuration':
        if (tampering.discoveryEndpoint) return tampering.discoveryEndpoint(response);
        return sendJson(response, tampering.discovery?.(this.#describe()) ?? this.#describe());
      case '/jwks': {
        const keys = [await publicJwk(this.keys)];
        return sendJson(response, tampering.keys?.(keys) ?? { keys });
      }
      case '/token':
        if (tampering.tokenEndpoint) return tampering.tokenEndpoint(response, this);
        return this.#exchange(response, new URLSearchParams(await readText(request)));
      case '/userinfo': {
        const person = this.#people.get((request.headers.authorization ?? '').replace('Bearer ', ''));
        return sendJson(response, tampering.userinfo?.({ ...person }) ?? person ?? {});
      }
      default:
        response.writeHead(404).end();
    }
  }

  readonly #people = new Map<string, Person>();

  async #exchange(response: ServerResponse, form: URLSearchParams): Promise<void> {
    const grant = this.#grants.get(form.get('code') ?? '');
    this.#grants.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || verifier !== grant.challenge) return sendJson(response, { error: 'invalid_grant' }, 400);
    const now = nowInSeconds();
    const claims: JWTPayload = {
      iss: this.issuer,
      aud: grant.clientId,
      iat: now,
      exp: now + LIFETIME,
      ...(grant.nonce !== null && { nonce: grant.nonce }),
      ...(grant.person as JWTPayload),
    };
    const accessToken = `access-${form.get('code')}`;
    this.#people.set(accessToken, grant.person);
    const wanted = this.tampering.claims?.(claims, this) ?? claims;
    const made = this.tampering.token?.(wanted, this) ?? this.sign(wanted, this.tampering.header);
    sendJson(response, { access_token: accessToken, token_type: 'Bearer', id_token: await made });
  }

  #describe(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
    };
  }
}

/** As tokens have it: by the system's clock, which `openid-client` reads. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / SECOND_MS);
}

function makeKeys(): Promise<KeyPair> {
  return generateKeyPair('RS256', { extractable: true });
}

export async function publicJwk({ publicKey }: KeyPair): Promise<JWK> {
  return { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request)).toString();
}
