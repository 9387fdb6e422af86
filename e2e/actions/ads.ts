import type { BrowserContext, Locator, Page } from '@playwright/test';
import type { TierName } from '../../contracts/plans/tiers.ts';
import { PAGES } from '../../contracts/values/pages.ts';
import type { JourneyServer } from './journey-server.ts';
import { createMember, signIn } from './people.ts';
import { makePicture } from './sample-files.ts';

/** Where the ads of these journeys lead; no such place exists. */
export const ELSEWHERE = 'https://www.harbour.example/tours';

/** A picture in the shape of a banner. */
export const makeBanner = () => makePicture('png', [1456, 180], 200);

export function bannerOf(page: Page): Locator {
  return page.getByTestId('ad-banner');
}

export const pauseIn = (page: Page) => bannerOf(page).getByRole('button', { name: 'Pause advertisements' });
export const playIn = (page: Page) => bannerOf(page).getByRole('button', { name: 'Play advertisements' });

/** A window of a member of this plan, at My Transfers. */
export async function openTransfers(
  context: BrowserContext,
  server: JourneyServer,
  { tier = 'free' as TierName, prepare = async (_page: Page) => {} } = {},
): Promise<Page> {
  await signIn(context, await createMember(server, tier));
  const page = await context.newPage();
  await prepare(page);
  await page.goto(server.url + PAGES.dashboard);
  return page;
}

/** The browser's clock is ours from now on: nothing happens in time but by `page.clock.runFor`. */
export async function holdTime(page: Page): Promise<void> {
  const now = (await page.evaluate('Date.now()')) as number;
  await page.clock.pauseAt(now + 100);
}

/** What moved on the page since it began to load, as browsers reckon it (CLS). */
export async function measureShift(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 300);
  })`)) as number;
}
