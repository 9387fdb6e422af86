import type { Locator, Page } from '@playwright/test';
import { DAY_MS, MINUTE_MS } from '../../contracts/values/durations.ts';
import type { JourneyServer } from '../servers/journey-server.ts';
import { expect } from './fixtures.ts';
import type { Member } from './people.ts';

export function cards(page: Page): Locator {
  return page.getByRole('article');
}

export function items(page: Page): Locator {
  return page.getByRole('list', { name: 'Transfers' }).locator('> li');
}

export async function deleteCard(page: Page, name: string): Promise<void> {
  await page.getByRole('article', { name, exact: true }).getByRole('button', { name: 'Delete' }).click();
}

/** Opens a card's menu of further actions and picks one. */
export async function pickAction(page: Page, name: string, action: string): Promise<void> {
  await page
    .getByRole('article', { name, exact: true })
    .getByRole('button', { name: /^More actions/ })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Scrolls like a wheel until the card is drawn, in the upper half of the window. */
export async function scrollTo(page: Page, name: string): Promise<void> {
  const card = page.getByRole('article', { name, exact: true });
  await expect(async () => {
    if ((await card.count()) === 0) await page.evaluate('window.scrollBy(0, 1500)');
    await expect(card).toBeVisible({ timeout: 100 });
  }).toPass({ intervals: [50] });
  await card.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await settle(page);
}

/** Scrolls up and returns by how many pixels a card that stays in view has moved. */
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

/** Waits two frames: the list renders in one and is measured in the other. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))))',
  );
}

const COLUMNS =
  'id, userId, token, status, title, recipientEmails, expiresAt, createdAt, readyAt, fileCount, totalBytes';

/**
 * Inserts ready transfers without files, because sending thousands would take too long. 'Parcel 1' is the newest;
 * each is a minute older and a KiB larger than the one before; every fifth has expired.
 */
export function seedTransfers(server: JourneyServer, member: Member, count: number): void {
  const now = Date.now();
  server.withDatabase((database) => {
    const owner = database.prepare('SELECT id FROM users WHERE username = ?').get(member.username);
    const userId = String(owner?.id);
    const insert = database.prepare(
      `INSERT INTO transfers (${COLUMNS}) VALUES (?, ?, ?, 'ready', ?, ?, ?, ?, ?, 1, ?)`,
    );
    database.exec('BEGIN IMMEDIATE');
    for (let each = 1; each <= count; each += 1) {
      const id = userId.replaceAll('-', '').slice(0, 16) + String(each).padStart(10, '0');
      const createdAt = now - each * MINUTE_MS;
      const expiresAt = each % 5 === 0 ? now - MINUTE_MS : now + DAY_MS + each * MINUTE_MS;
      // Cards of different heights.
      const recipients = each % 3 === 0 ? `["rex${each}@example.org","vera@example.org"]` : '[]';
      insert.run(id, userId, id, `Parcel ${each}`, recipients, expiresAt, createdAt, createdAt, each * 1024);
    }
    database.exec('COMMIT');
  });
}

/** Inserts more files of a transfer, copied from its existing one: 'file-00001.bin' and so on. */
export function seedFiles(server: JourneyServer, transferId: string, count: number): void {
  server.withDatabase((database) => {
    const model = database.prepare('SELECT * FROM files WHERE transferId = ?').get(transferId)!;
    const columns = Object.keys(model);
    const insert = database.prepare(
      `INSERT INTO files (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
    );
    database.exec('BEGIN IMMEDIATE');
    for (let each = 1; each <= count; each += 1) {
      const name = `file-${String(each).padStart(5, '0')}.bin`;
      const id = `${String(model.id).slice(0, 20)}${String(each).padStart(6, '0')}`;
      const file = { ...model, id, position: each, originalName: name, relativePath: name };
      insert.run(...columns.map((column) => file[column as keyof typeof file] as string));
    }
    database
      .prepare('UPDATE transfers SET fileCount = fileCount + ?, totalBytes = totalBytes + ? WHERE id = ?')
      .run(count, count * Number(model.sizeBytes), transferId);
    database.exec('COMMIT');
  });
}
