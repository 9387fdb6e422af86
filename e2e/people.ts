import { randomBytes } from 'node:crypto';
import type { BrowserContext } from '@playwright/test';
import { register, verifyEmail } from '../contracts/accounts/accounts.ts';
import type { TierName } from '../contracts/plans/tiers.ts';
import type { Client } from '../testing/client.ts';
import type { JourneyServer } from './journey-server.ts';

export const PASSWORD = 'correct horse battery';

export type Person = { name: string; username: string; email: string };
/** Somebody with a verified account; `client` makes calls in their name. */
export type Member = Person & { client: Client };

/** Somebody whom no other journey knows. */
export function inventPerson(): Person {
  const username = `vera-${randomBytes(4).toString('hex')}`;
  return { name: 'Vera Visitor', username, email: `${username}@example.org` };
}

/** Registers somebody through the calls the pages make; the plan is set as an administrator would. */
export async function createMember(server: JourneyServer, tier: TierName): Promise<Member> {
  const person = inventPerson();
  const client = server.anonymous();
  await client.call(register, { body: { ...person, password: PASSWORD } });
  await client.call(verifyEmail, { body: { code: await server.findCode(person.email) } });
  server.withDatabase((database) =>
    database.prepare('UPDATE users SET tier = ? WHERE username = ?').run(tier, person.username),
  );
  return { ...person, client };
}

/** An administrator, made one as `ADMIN_USERNAME` does at the first start. */
export async function createAdmin(server: JourneyServer, tier: TierName = 'premium'): Promise<Member> {
  const admin = await createMember(server, tier);
  server.withDatabase((database) =>
    database.prepare('UPDATE users SET "isAdmin" = 1 WHERE username = ?').run(admin.username),
  );
  return admin;
}

/** Gives the browser the member's session. */
export async function signIn(context: BrowserContext, { client }: Member): Promise<void> {
  const { hostname: domain } = new URL(client.url);
  await context.addCookies(client.jar.list().map((cookie) => ({ ...cookie, domain })));
}
