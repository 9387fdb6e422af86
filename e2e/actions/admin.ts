import { randomUUID } from 'node:crypto';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { JourneyServer } from '../servers/journey-server.ts';
import { expect } from './fixtures.ts';
import { type Member, signIn } from './people.ts';

export async function openAsAdmin(context: BrowserContext, admin: Member): Promise<Page> {
  await signIn(context, admin);
  return context.newPage();
}

export function row(page: Page, table: string, name: string | RegExp): Locator {
  return page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name });
}

/** Confirms the dialog. */
export async function confirm(page: Page, label: string): Promise<void> {
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: label, exact: true }).click();
  await expect(question).toHaveCount(0);
}

/** Reads a row of the server's database. */
export function readRow(
  server: JourneyServer,
  sql: string,
  ...values: (string | number)[]
): Record<string, unknown> | undefined {
  return server.withDatabase((database) => database.prepare(sql).get(...values));
}

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const COMPUTER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** Addresses with stable locations. */
const ADDRESSES = { DE: '193.99.144.80', US: '8.8.8.8', nowhere: '192.168.0.1' };

type Visit = {
  from: keyof typeof ADDRESSES;
  daysAgo: number;
  views?: number;
  downloads?: number;
  /** Of the downloads. */
  completed?: number;
  referer?: string;
  device?: 'phone' | 'computer';
};

/** Inserts views and downloads of a transfer's files. */
export function seedVisits(server: JourneyServer, transferId: string, visits: Visit[]): void {
  server.withDatabase((database) => {
    const file = database
      .prepare('SELECT id FROM files WHERE transferId = ? ORDER BY position')
      .get(transferId)!;
    const view = database.prepare(
      'INSERT INTO transferViews (id, transferId, viewedAt, ipAddress, userAgent, referer) VALUES (?, ?, ?, ?, ?, ?)',
    );
    const download = database.prepare(
      'INSERT INTO downloads (id, transferId, fileId, downloadedAt, ipAddress, userAgent, completedAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    database.exec('BEGIN IMMEDIATE');
    for (const visit of visits) {
      const { from, daysAgo, views = 0, downloads = 0, completed = downloads, referer = null } = visit;
      const at = Date.now() - daysAgo * DAY_MS;
      const visitor = [ADDRESSES[from], visit.device === 'phone' ? PHONE : COMPUTER] as const;
      for (let each = 0; each < views; each += 1) view.run(randomUUID(), transferId, at, ...visitor, referer);
      for (let each = 0; each < downloads; each += 1)
        download.run(randomUUID(), transferId, file.id!, at, ...visitor, each < completed ? at : null);
    }
    database.exec('COMMIT');
  });
}

/** Inserts daily totals whose log was already removed. */
export function seedOldViews(server: JourneyServer, member: Member, { daysAgo, views }: OldViews): void {
  const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  server.withDatabase((database) => {
    const owner = database.prepare('SELECT id FROM users WHERE username = ?').get(member.username)!;
    const insert = database.prepare(
      'INSERT INTO userTotals (userId, day, dimension, value, views) VALUES (?, ?, ?, ?, ?)',
    );
    insert.run(owner.id!, day, 'all', '', views);
    for (const [dimension, value] of [
      ['country', 'BR'],
      ['device', 'desktop'],
      ['referer', ''],
    ]) {
      insert.run(owner.id!, day, dimension!, value!, views);
      // Long ranges are read by month.
      insert.run(owner.id!, day.slice(0, 7), `${dimension}-month`, value!, views);
    }
  });
}

type OldViews = { daysAgo: number; views: number };
