import type { Page } from '@playwright/test';
import { Webhook as Verifier } from 'standardwebhooks';
import { createWebhook, WEBHOOK_EVENTS } from '../../contracts/accounts/webhooks.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { type Receiver, startReceiver } from '../../testing/webhooks/webhook-receiver.ts';
import { expectAccessible, expectNoSidewaysScroll } from '../actions/accessibility.ts';
import { test as base, expect } from '../actions/fixtures.ts';
import { expectToast } from '../actions/uploads.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';

const SECTION = PAGES.settingsWebhooks;

/** The receiver runs on this machine. */
const test = base.extend<{ receiver: Receiver }, { server: JourneyServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures it needs.
    async ({}, use) => {
      const server = await startJourneyServer({ WEBHOOK_ALLOW_PRIVATE: 'on' });
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above
  receiver: async ({}, use) => {
    const ends: (() => void)[] = [];
    await use(await startReceiver({ after: (end) => void ends.push(end as () => void) }));
    for (const end of ends) end();
  },
});

test('a webhook is created, tested, called for a transfer, resent, changed, disabled and deleted', {
  tag: '@all',
}, async ({ memberPage: page, receiver }) => {
  await page.goto(SECTION);
  const section = sectionOf(page);
  await expect(section.getByText('You have no webhooks yet.')).toBeVisible();
  await section.getByRole('button', { name: 'Create Webhook' }).click();
  const form = page.getByRole('dialog', { name: 'Create webhook' });
  await form.getByLabel('Address').fill(receiver.url);
  await form.getByLabel('Description').fill('Archive');
  await form.getByLabel('Transfer viewed').uncheck();
  await form.getByRole('button', { name: 'Create Webhook' }).click();
  await expectToast(page, 'Webhook created');
  const row = section.getByRole('listitem', { name: 'Archive' });
  await expect(row).toContainText('Transfer ready, Transfer downloaded, Recipient downloaded');

  await row.getByRole('button', { name: 'Secret' }).click();
  const dialog = page.getByRole('dialog', { name: 'Signing secret' });
  await dialog.getByRole('button', { name: 'Show' }).click();
  const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Copy Secret' }).click();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret);
  await dialog.getByRole('button', { name: 'Done' }).click();

  receiver.answer((response) => response.writeHead(500).end('not yet'));
  await row.getByRole('button', { name: 'Test', exact: true }).click();
  const log = row.getByRole('list', { name: 'Deliveries of Archive' });
  const delivery = log.getByRole('listitem').filter({ hasText: 'Test' });
  await expect(delivery).toContainText('The receiver responded with 500.');
  await expect(delivery).toContainText('Waiting');
  receiver.answer((response) => response.writeHead(200).end('{"thank":"you"}'));
  await expect(delivery).toContainText('Delivered', { timeout: 15_000 });
  await expect(delivery).toContainText('200 · 2 tries');
  const verifier = new Verifier(secret);
  for (const { body, headers } of receiver.received)
    expect(verifier.verify(body, headers)).toMatchObject({ type: 'test' });
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);

  await delivery.getByRole('button', { name: /^Test ./ }).click();
  await expect(delivery.getByRole('region', { name: 'Request' })).toContainText('webhook-signature: v1,');
  await expect(delivery.getByRole('region', { name: 'Response' })).toContainText('"thank": "you"');
  await delivery.getByRole('button', { name: 'Send again' }).click();
  await expect.poll(() => receiver.received.length).toBe(3);
  await expect(delivery).toContainText('200 · 1 try');

  await row.getByRole('switch').click();
  await expect(row.getByText('Off', { exact: true })).toBeVisible();
  await expect(row.getByRole('button', { name: 'Test', exact: true })).toBeDisabled();
  await row.getByRole('switch').click();
  await expect(row.getByText('Off', { exact: true })).toBeHidden();

  await row.getByRole('button', { name: 'Edit Archive' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit webhook' });
  await edit.getByLabel('Description').fill('Cellar');
  await edit.getByRole('button', { name: 'Save' }).click();
  await section.getByRole('button', { name: 'Delete Cellar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click();
  await expect(section.getByText('You have no webhooks yet.')).toBeVisible();
});

test('the secret is rotated using only the keyboard', { tag: '@all' }, async ({
  memberPage: page,
  receiver,
}) => {
  await page.goto(SECTION);
  const section = sectionOf(page);
  await section.getByRole('button', { name: 'Create Webhook' }).press('Enter');
  const form = page.getByRole('dialog', { name: 'Create webhook' });
  await form.getByLabel('Address').focus();
  await page.keyboard.type(receiver.url);
  await page.keyboard.press('Enter');
  const row = section.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Test', exact: true }).press('Enter');
  await expect(row).toContainText('Delivered', { timeout: 10_000 });
  await row.getByRole('button', { name: /^Test ./ }).press('Enter');
  await expect(row.getByRole('region', { name: 'Request' })).toBeVisible();
  await row.getByRole('button', { name: 'Secret' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Signing secret' });
  await dialog.getByRole('button', { name: 'Rotate' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).press('Enter');
  await expect(dialog).toContainText('also signed with the previous secret until');
  await expect(page.getByRole('alertdialog')).toBeHidden();
  await dialog.getByRole('button', { name: 'Done' }).press('Enter');
  await expect(dialog).toBeHidden();
  await row.getByRole('button', { name: /^Delete/ }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).press('Enter');
  await expect(section.getByRole('heading', { name: 'Webhooks' })).toBeFocused();
});

test('webhooks are accessible in both themes, wide and narrow', { tag: '@all' }, async ({
  memberPage: page,
  member,
  receiver,
}) => {
  // Axe checks four states in four windows.
  test.slow();
  await page.goto(SECTION);
  const section = sectionOf(page);
  await expect(section.getByText('You have no webhooks yet.')).toBeVisible();
  await expectAccessible(page, 'no webhooks');
  const url = `${receiver.url}?${'long-'.repeat(30)}`;
  await member.client.call(createWebhook, { body: { url, events: WEBHOOK_EVENTS } });
  receiver.answer((response) => response.writeHead(301).end('x'.repeat(3_000)));
  await page.reload();
  const row = section.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Test', exact: true }).click();
  await row.getByRole('button', { name: /^Test ./ }).click();
  await expect(row).toContainText('Redirects are not followed', { timeout: 10_000 });
  await expect(row.getByRole('region', { name: 'Response' })).toBeVisible();
  await expectAccessible(page, 'a log');
  await expectNoSidewaysScroll(page);
  await row.getByRole('button', { name: 'Secret' }).click();
  await expect(page.getByText(/whsec_/)).toBeVisible();
  await expectAccessible(page, 'a secret');
  await expectNoSidewaysScroll(page);
  await page.keyboard.press('Escape');
  await row.getByRole('button', { name: /^Edit/ }).click();
  await expectAccessible(page, 'the form');
});

test.describe('a pro sender', () => {
  test.use({ tier: 'pro' });

  test('sees what webhooks offer, and that earlier webhooks are kept', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    await page.goto(SECTION);
    const section = sectionOf(page);
    await expect(section).toContainText('Webhooks come with the Premium plan.');
    await expect(section).toContainText('Existing webhooks are kept but paused until you upgrade.');
    await expect(section.getByRole('link', { name: 'Upgrade' })).toHaveAttribute('href', '/pricing');
    await expectAccessible(page, 'the offer');
  });
});

function sectionOf(page: Page) {
  return page.getByRole('region', { name: 'Webhooks' });
}
