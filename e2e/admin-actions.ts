import type { BrowserContext, Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import type { JourneyServer } from './journey-server.ts';
import { type Member, signIn } from './people.ts';

/** A window of an administrator. */
export async function openAsAdmin(context: BrowserContext, admin: Member): Promise<Page> {
  await signIn(context, admin);
  return context.newPage();
}

/** The table's row about something. */
export function row(page: Page, table: string, name: string | RegExp): Locator {
  return page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name });
}

/** Answers the question before something is done. */
export async function confirm(page: Page, label: string): Promise<void> {
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: label, exact: true }).click();
  await expect(question).toHaveCount(0);
}

/** What the server has in a table of its database. */
export function readRow(
  server: JourneyServer,
  sql: string,
  ...values: (string | number)[]
): Record<string, unknown> | undefined {
  return server.withDatabase((database) => database.prepare(sql).get(...values));
}
