import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export function cards(page: Page): Locator {
  return page.getByRole('article');
}

export function items(page: Page): Locator {
  return page.getByRole('list', { name: 'Transfers' }).locator('> li');
}

export async function deleteCard(page: Page, name: string): Promise<void> {
  await page.getByRole('article', { name, exact: true }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete transfer' }).click();
}

/** As with the wheel, until the card is drawn; it then stands in the upper half of the window. */
export async function scrollTo(page: Page, name: string): Promise<void> {
  const card = page.getByRole('article', { name, exact: true });
  await expect(async () => {
    if ((await card.count()) === 0) await page.evaluate('window.scrollBy(0, 1500)');
    await expect(card).toBeVisible({ timeout: 100 });
  }).toPass({ intervals: [50] });
  await card.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await settle(page);
}

/** Scrolls up by so many pixels; returns how far a card that stays in view has moved. */
export async function moveUp(page: Page, pixels: number): Promise<number> {
  const visible = items(page).filter({ visible: true });
  const index = Math.max(0, (await visible.count()) - 10);
  const place = await visible.nth(index).getAttribute('data-index');
  const item = page.locator(`[data-index="${place}"]`);
  const before = await topOf(item);
  await page.evaluate(`window.scrollBy(0, -${pixels})`);
  await settle(page);
  return Math.round((await topOf(item)) - before);
}

export async function topOf(element: Locator): Promise<number> {
  return (await element.boundingBox())!.y;
}

/** Two frames: one in which the list is drawn anew, one in which it is measured. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))))',
  );
}
