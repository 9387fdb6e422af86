import type { BrowserContext, Locator, Page } from '@playwright/test';
import type { TierName } from '../../contracts/plans/tiers.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import type { JourneyServer } from '../servers/journey-server.ts';
import { createMember, signIn } from './people.ts';
import { makePicture } from './sample-files.ts';

/** The target of the ads. It doesn't exist. */
export const ELSEWHERE = 'https://www.harbour.example/tours';

/** The title of the transfer on the opened page. */
export const SENT = 'Sent before';

/** A picture with the proportions of a banner. */
export const makeBanner = () => makePicture('png', [1456, 180], 200);

export function bannerOf(page: Page): Locator {
  return page.getByTestId('ad-banner');
}

export const pauseIn = (page: Page) => bannerOf(page).getByRole('button', { name: 'Pause advertisements' });
export const playIn = (page: Page) => bannerOf(page).getByRole('button', { name: 'Play advertisements' });

/** Opens My Transfers for a new member of this plan, who has sent a transfer: before that there are no ads. */
export async function openTransfers(
  context: BrowserContext,
  server: JourneyServer,
  { tier = 'free' as TierName, prepare = async (_page: Page) => {} } = {},
): Promise<Page> {
  const member = await createMember(server, tier);
  await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }], { title: SENT });
  await signIn(context, member);
  const page = await context.newPage();
  await prepare(page);
  await page.goto(server.url + PAGES.dashboard);
  return page;
}

/** From here on, time only passes with `page.clock.runFor`. */
export async function holdTime(page: Page): Promise<void> {
  const isPaused = async () => {
    const now = (await page.evaluate('Date.now()')) as number;
    // On a busy machine, the chosen time may have passed before the clock hears of it.
    const error = await page.clock.pauseAt(now + 100).catch((cause: Error) => cause);
    if (error && !error.message.includes('to the past')) throw error;
    return !error;
  };
  while (!(await isPaused()));
}

/** Cumulative layout shift (CLS) since the page began to load. */
export async function measureShift(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 300);
  })`)) as number;
}
