import type { Locator, Page } from '@playwright/test';
import { createInvitation, type Invitation } from '../contracts/transfers/invitations.ts';
import { PAGES } from '../contracts/values/pages.ts';
import { expect } from './fixtures.ts';
import type { Member } from './people.ts';

export async function openInvitations(page: Page): Promise<void> {
  await page.goto(PAGES.invitations);
  await expect(page.getByRole('heading', { name: 'Upload Invitations', level: 1 })).toBeVisible();
}

export function cardOf(page: Page, title: string): Locator {
  return page.getByRole('article', { name: title, exact: true });
}

export async function submit(form: Locator, label: string): Promise<void> {
  await form.getByRole('button', { name: label, exact: true }).click();
}

export async function expectFact(card: Locator, label: string, value: string | RegExp): Promise<void> {
  const fact = card.locator('dl > div').filter({ has: card.page().getByText(label, { exact: true }) });
  await expect(fact.getByRole('definition')).toHaveText(value);
}

export function invite({ client }: Member, title: string, settings: object = {}): Promise<Invitation> {
  return client.call(createInvitation, { body: { title, ...settings } });
}
