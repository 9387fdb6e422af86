import { test as base, expect, type Page } from '@playwright/test';
import type { TierName } from '../../contracts/plans/tiers.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';
import { createMember, type Member, signIn } from './people.ts';

type WorkerFixtures = {
  /** Shared by all journeys of a worker, each with its own users. */
  server: JourneyServer;
};

type JourneyFixtures = {
  /** The plan of `member`. */
  tier: TierName;
  member: Member;
  memberPage: Page;
  /** A page in a separate browser context. */
  visitorPage: Page;
  /** A server for one journey, which may be killed or configured. */
  ownServer: JourneyServer;
};

export const test = base.extend<JourneyFixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures it needs.
    async ({}, use) => {
      const server = await startJourneyServer();
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  tier: ['premium', { option: true }],
  member: async ({ server, tier }, use) => use(await createMember(server, tier)),
  memberPage: async ({ context, member }, use) => {
    await signIn(context, member);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await use(await context.newPage());
  },
  visitorPage: async ({ browser, server }, use) => {
    const context = await browser.newContext({ baseURL: server.url });
    await use(await context.newPage());
    await context.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  ownServer: async ({}, use) => {
    const server = await startJourneyServer();
    await use(server);
    await server.remove();
  },
});

export { expect };
