import { randomBytes } from 'node:crypto';
import { type BrowserContext, expect, type Page } from '@playwright/test';
import { register, verifyEmail } from '../../contracts/accounts/accounts.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import type { TierName } from '../../contracts/plans/tiers.ts';
import type { Client } from '../../testing/calls/client.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

export const PASSWORD = 'correct horse battery';

export type Person = { name: string; username: string; email: string };
/** A user with a verified account; `client` makes calls as this user. */
export type Member = Person & { client: Client };

/** A unique person. */
export function inventPerson(): Person {
  const username = `vera-${randomBytes(4).toString('hex')}`;
  return { name: 'Vera Visitor', username, email: `${username}@example.org` };
}

/** Registers a user through the API and sets the plan in the database. `findCode` reads the emailed code. */
export async function createMember(
  server: JourneyServer,
  tier: TierName,
  findCode = (email: string) => server.findCode(email),
): Promise<Member> {
  const person = inventPerson();
  const client = server.anonymous();
  await client.call(register, { body: { ...person, password: PASSWORD } });
  await client.call(verifyEmail, { body: { code: await findCode(person.email) } });
  server.withDatabase((database) =>
    database.prepare('UPDATE users SET tier = ? WHERE username = ?').run(tier, person.username),
  );
  return { ...person, client };
}

/** Creates an administrator like `ADMIN_USERNAME` at the first start. */
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

export async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

export async function openRegistration(page: Page): Promise<void> {
  await page.goto('/auth');
  await page.getByRole('link', { name: "Don't have an account? Sign up" }).click();
}

/** Fills every field with valid values. */
export async function fillRegistration(page: Page, { name, username, email }: Person): Promise<void> {
  await page.getByLabel('Full Name').fill(name);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm Password').fill(PASSWORD);
  await page.getByRole('checkbox').check();
}

/** Holds the call until the returned function is called, so that the pending state can be checked. */
export async function holdCall(page: Page, { path }: Endpoint): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(path, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

/** The download link in the newest email to this address. Without a mail server, emails stay in the outbox. */
export async function findMailedLink(server: JourneyServer, email: string): Promise<string> {
  const read = () =>
    server.withDatabase((database) => {
      const row = database
        .prepare('SELECT text FROM mails WHERE recipient = ? ORDER BY "createdAt" DESC LIMIT 1')
        .get(email);
      return /https?:\/\/\S+\/download\/\S+/.exec(String(row?.text))?.[0];
    });
  await expect.poll(read).toBeDefined();
  return read()!;
}
