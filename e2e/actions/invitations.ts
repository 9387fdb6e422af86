import { randomBytes } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { createInvitation, type Invitation } from '../../contracts/transfers/uploads/invitations.ts';
import { invitationPath } from '../../contracts/values/addresses/links.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import type { JourneyServer } from '../servers/journey-server.ts';
import { expect } from './fixtures.ts';
import type { Member } from './people.ts';
import { expectToast, UPLOAD_MS } from './uploads.ts';

/** A unique address of a person without an account. */
export function inventAddress(name = 'vera'): string {
  return `${name}-${randomBytes(4).toString('hex')}@example.org`;
}

/** An invitation without limits, unless `settings` has some. */
export function inviteGuests(owner: Member, settings: object = {}): Promise<Invitation> {
  return invite(owner, 'Wedding photographs', settings);
}

/** The code in the newest email to a visitor, once it differs from `before`. */
export async function findVisitorCode(
  server: JourneyServer,
  email: string,
  before?: string,
): Promise<string> {
  const read = () =>
    server.withDatabase((database) => {
      const row = database
        .prepare(
          `SELECT text FROM mails WHERE recipient = ? AND kind = 'visitor-code' ORDER BY "createdAt" DESC LIMIT 1`,
        )
        .get(email);
      return /\b\d{6}\b/.exec(String(row?.text))?.[0];
    });
  await expect.poll(() => (read() === before ? undefined : read())).toBeDefined();
  return read()!;
}

export function codeField(page: Page) {
  return page.getByLabel('Verification code');
}

/** Step 1. */
export async function askForCode(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send Verification Code' }).click();
  await expect(page.getByRole('heading', { name: 'Enter the code' })).toBeVisible();
}

/** Opens an invitation and completes its first two steps. */
export async function openAndVerify(
  page: Page,
  server: JourneyServer,
  { token, email, origin = '' }: { token: string; email: string; origin?: string },
): Promise<void> {
  await page.goto(origin + invitationPath(token));
  await askForCode(page, email);
  // The last digit submits it.
  await codeField(page).fill(await findVisitorCode(server, email));
  await expect(page.getByRole('heading', { name: 'Your files' })).toBeVisible();
}

export function uploadButton(page: Page) {
  return page.getByRole('button', { name: /^Upload [\d,]+ File\(s\)$/ });
}

/** Waits for the delivery. */
export async function expectDelivered(page: Page, count: number): Promise<void> {
  await expect(page.getByTestId('delivered')).toBeVisible({ timeout: UPLOAD_MS });
  await expectToast(
    page,
    'Upload complete!',
    `Your ${count} file(s) have been uploaded successfully. The sender will be notified.`,
  );
}

export async function openInvitations(page: Page): Promise<void> {
  await page.goto(PAGES.invitations);
  await expect(page.getByRole('heading', { name: 'Upload Invitations', level: 1 })).toBeVisible();
}

/** Creates the first, encrypted invitation. Returns the link that the dialog shows, with the public key. */
export async function createEncryptedInvitation(owner: Page): Promise<string> {
  await openInvitations(owner);
  await owner.getByRole('button', { name: 'Create Your First Invitation' }).click();
  await owner.getByRole('switch', { name: 'End-to-end encrypted' }).check();
  await owner.getByRole('button', { name: 'Create Invitation', exact: true }).last().click();
  return owner.getByRole('textbox', { name: 'Invitation link' }).inputValue();
}

/** Waits for the link of a new invitation and closes it. */
export async function closeLink(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Invitation link' });
  await expect(dialog).toBeVisible();
  // Escape closes a toast first.
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(dialog).toBeHidden();
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
