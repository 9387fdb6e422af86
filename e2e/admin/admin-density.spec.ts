import type { Page } from '@playwright/test';
import { createCoupon } from '../../contracts/admin/plans.ts';
import { createUser } from '../../contracts/admin/users.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { openAsAdmin } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin, inventPerson, PASSWORD } from '../actions/people.ts';

const ROWS = 10;

test.describe.configure({ timeout: 180_000 });

test('ten rows of each table fit a window of 1280 by 800, below the banner about mails', {
  tag: '@all',
}, async ({ context, server }) => {
  const admin = await createAdmin(server);
  for (let each = 0; each < ROWS + 1; each += 1) {
    const { username, email } = inventPerson();
    await admin.client.call(createUser, { body: { username, email, password: PASSWORD } });
    const coupon = { code: `${username}-${each}`, tier: 'pro', discountPercent: 10, freeMonths: 1 } as const;
    await admin.client.call(createCoupon, { body: coupon });
    const file = {
      fileName: `A rather long name of a picture from the harbour, number ${each}.jpg`,
      bytes: Buffer.from('x'),
    };
    await sendTransfer(admin.client, [file], { recipientEmails: [email] });
  }
  const page = await openAsAdmin(context, admin);
  for (const [path, label] of [
    [PAGES.adminUsers, 'Users'],
    [PAGES.adminTransfers, 'Transfers'],
    [PAGES.adminCoupons, 'Coupons'],
    [PAGES.adminAudit, 'Audit log'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByText('Mails are not sent: no mail server is set.')).toBeVisible();
    await expect.poll(() => countVisibleRows(page, label), { message: label }).toBeGreaterThanOrEqual(ROWS);
  }
  await page
    .getByRole('button', { name: /^Details of Created user/ })
    .first()
    .press('Enter');
  await expect(page.getByText('127.0.0.1')).toBeVisible();
  await expectAccessible(page, 'the audit log with open details');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${PAGES.adminSystem}#mails`);
  await expect(page.getByRole('table', { name: 'Mails' })).toBeVisible();
  await page.getByRole('heading', { name: 'Mail outbox' }).evaluate((heading) => heading.scrollIntoView());
  await expect.poll(() => countVisibleRows(page, 'Mails')).toBeGreaterThanOrEqual(ROWS);
});

/** Rows of the table's body that are wholly in the window. */
function countVisibleRows(page: Page, label: string): Promise<number> {
  return page
    .getByRole('table', { name: label })
    .locator('tbody tr')
    .evaluateAll(
      (rows) =>
        rows.filter((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return top >= 0 && bottom <= row.ownerDocument.documentElement.clientHeight;
        }).length,
    );
}
