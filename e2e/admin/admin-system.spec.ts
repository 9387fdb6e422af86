import { expectAccessible } from '../actions/accessibility.ts';
import { openAsAdmin, readRow, row } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

const JOB_ID = 'jobthatwasgivenup000000001';
const MAIL_ID = 'mailthatwasnotdelivered001';

test.describe.configure({ timeout: 180_000 });

test('the system page shows its checks and measures the proxy with real uploads', {
  tag: '@all',
}, async ({ context, server }) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto('/admin/system');
  const checks = page.getByRole('list', { name: 'Checks' });
  await expect(checks.getByText(/^Database.*All right/)).toBeVisible();
  const mailServer = checks.getByRole('listitem').filter({ hasText: 'Mail server' });
  await expect(mailServer).toContainText('What to do: Set SMTP_URL');
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(page.getByRole('button', { name: 'Check again' })).toBeVisible();

  const bodies: number[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/admin/checks/body'))
      bodies.push(Number(request.headers()['content-length'] ?? request.postDataBuffer()?.length ?? 0));
  });
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const proxy = page.getByRole('list', { name: 'Reverse proxy' });
  await expect(proxy.getByText('Bodies of 64 MB come through.')).toBeVisible({ timeout: 60_000 });
  await expect(proxy.getByRole('listitem').filter({ hasText: 'Public address' })).toHaveAttribute(
    'data-state',
    'ok',
  );
  await expect(proxy.getByRole('listitem').filter({ hasText: 'Time-outs' })).toContainText('was not cut off');
  expect(bodies).toHaveLength(4);
  await expectAccessible(page, 'system');
});

test('a proxy that refuses large bodies is detected, with the directive that fixes it', {
  tag: '@all',
}, async ({ context, server }) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  let uploads = 0;
  await page.route('**/api/admin/checks/body', (route) => {
    uploads += 1;
    return uploads === 1 ? route.continue() : route.fulfill({ status: 413, body: '<h1>413</h1>' });
  });
  await page.goto('/admin/system#proxy');
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const size = page.getByRole('listitem').filter({ hasText: 'Body size' });
  await expect(size).toContainText('A body of 5 MB was refused');
  await expect(size).toContainText('client_max_body_size 0;');
  await expect(size).toHaveAttribute('data-state', 'failed');
});

test('failed mails and jobs show their reason, are linked from the dashboard and can be retried', {
  tag: '@all',
}, async ({ context, server }) => {
  const admin = await createAdmin(server);
  const now = Date.now();
  server.withDatabase((database) => {
    database
      .prepare(
        `INSERT INTO mails (id, kind, recipient, subject, text, html, state, attempts, "lastError", "createdAt")
         VALUES (?, 'transfer', 'rex@example.org', 'Files for you', 'Hi', 'Hi', 'failed', 9, '550 No such mailbox', ?)`,
      )
      .run(MAIL_ID, now);
    database
      .prepare(
        `INSERT INTO jobs (id, name, payload, "runAt", attempts, "lastError", "failedAt", "createdAt")
         VALUES (?, 'sweep-uploads', '{}', ?, 8, 'The disk does not answer', ?, ?)`,
      )
      .run(JOB_ID, now, now, now);
  });
  const page = await openAsAdmin(context, admin);
  await page.goto('/admin/dashboard');
  const attention = page.getByRole('list', { name: 'Needs attention' });
  await expect(attention.getByRole('link', { name: /jobs? failed/ })).toBeVisible();
  await attention.getByRole('link', { name: /mail.* could not be delivered/ }).click();
  await expect(page).toHaveURL('/admin/system?mails=failed#mails');
  const mail = row(page, 'Mails', 'Files for you');
  await expect(mail).toContainText('550 No such mailbox');
  await mail.getByRole('button', { name: 'Retry' }).click();
  await expectToast(page, 'Mail queued');
  await expect(mail).toContainText('Waiting');
  expect(readRow(server, 'SELECT state FROM mails WHERE id = ?', MAIL_ID)?.state).not.toBe('failed');

  const job = row(page, 'Jobs', 'The disk does not answer');
  await expect(job).toContainText('Given up');
  await job.getByRole('button', { name: 'Retry' }).click();
  await expectToast(page, 'Job queued');
  await expect(page.getByRole('table', { name: 'Jobs' })).not.toContainText('Given up');
  await page.goto('/admin/audit');
  await expect(row(page, 'Audit log', 'Ran job again')).toBeVisible();
  await expect(row(page, 'Audit log', 'Sent mail again')).toBeVisible();
});
