import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { SsoOutcome } from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import type { Client } from '../../../../../testing/calls/client.ts';
import { CAST } from '../../../../../testing/cast.ts';
import type { HostileProvider, Person, Tampering } from '../../../../../testing/identity/hostile-provider.ts';
import { type addProvider, begin, comeBack, outcomeOf } from '../../../../../testing/identity/sso.ts';
import type { TestServer } from '../../../../../testing/test-context.ts';

export const NORA: Person = {
  sub: 'nora-1',
  email: 'nora@example.net',
  email_verified: true,
  name: 'Nora Nord',
};
export const FRIDA: Person = { sub: 'frida-1', email: CAST.frida.email, email_verified: true };

/** One hostile provider, which one server trusts. */
export type World = {
  /** Stops what a case starts. */
  context: Pick<TestContext, 'after'>;
  server: TestServer;
  provider: HostileProvider;
  providerId: string;
  /** The browser of somebody without a session. */
  client: Client;
};
type Settings = Parameters<typeof addProvider>[2];

export type Case = {
  tampering?: Tampering;
  person?: Person;
  settings?: Settings;
  /** What is there before; does not count as a change. */
  prepare?: (world: World) => Promise<void>;
  /** Changes the parameters with which the provider sends the browser back. */
  answer?: (parameters: URLSearchParams, world: World) => URLSearchParams | Promise<URLSearchParams>;
  /** Replaces the whole way; returns the page that opens. */
  act?: (world: World) => Promise<string>;
};

export type Cases = Record<string, [SsoOutcome, Case]>;

/** A sign-in from beginning to end; returns the page that opens. */
export async function walk(
  world: World,
  { person = NORA, answer, client = world.client }: Pick<Case, 'person' | 'answer'> & { client?: Client },
): Promise<string> {
  const parameters = world.provider.authorize(await begin(client, world.providerId), person);
  const location = await comeBack(client, (await answer?.(parameters, world)) ?? parameters);
  if (outcomeOf(location)) {
    const response = await client.fetch('/api/user');
    assert.equal(response.status, 401, 'no session');
  }
  return location;
}

/** Links `<name>-1` of the provider to an account of the cast. */
export async function linkTo(
  { server, provider, providerId }: World,
  name: 'frida' | 'paula',
): Promise<void> {
  const row = { issuer: provider.issuer, subject: `${name}-1`, email: null, createdAt: 1, lastUsedAt: null };
  await server.context.db
    .insertInto('externalIdentities')
    .values({ id: `${name}${'0'.repeat(21)}`, providerId, userId: server.userId(name), ...row })
    .execute();
}

/** Changes claims of the ID token; undefined leaves one out. */
export const claims = (changes: Record<string, unknown>): Case => ({
  tampering: {
    claims: (right) =>
      Object.fromEntries(Object.entries({ ...right, ...changes }).filter(([, value]) => value !== undefined)),
  },
});
export const send =
  (text: string, type = 'text/html') =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': type }).end(text);
  };
export const fail = (status: number) => (response: ServerResponse) => {
  response.writeHead(status).end();
};
export const redirectTo = (location: string) => (response: ServerResponse) => {
  response.writeHead(302, { location }).end();
};
