import { fileDownloadPath, sharePath } from '../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../contracts/values/durations.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expect, test } from '../actions/fixtures.ts';
import { openOptions, startUpload, waitForLink } from '../actions/uploads.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

const FILES = [{ fileName: 'milk.txt', bytes: Buffer.from('Best before') }];

test('an expired transfer says so and reveals nothing', async ({
  server,
  member,
  memberPage: sender,
  visitorPage: recipient,
}) => {
  const sent = await sendTransfer(member.client, FILES, { title: 'Milk' });
  setInstant(server, sent.id, 'expiresAt', Date.now() - HOUR_MS);

  await recipient.goto(sharePath(sent.token));
  await expect(recipient.getByRole('heading', { name: 'Transfer Expired' })).toBeVisible();
  await expect(
    recipient.getByText('This transfer has expired and is no longer available for download.'),
  ).toBeVisible();
  await expect(recipient.getByText('milk.txt')).toHaveCount(0);
  await expect(recipient.getByText('Milk', { exact: true })).toHaveCount(0);
  const file = await server.anonymous().fetch(fileDownloadPath(sent.token, sent.fileIds[0]!));
  expect(file.status).toBe(410);

  await sender.goto('/dashboard');
  await expect(sender.getByRole('article', { name: 'Milk' })).toContainText('Expired');
});

test('an open page closes when its transfer expires', { tag: ['@all', '@full-browser'] }, async ({
  server,
  member,
  visitorPage: recipient,
}) => {
  const { id, token } = await sendTransfer(member.client, FILES, { title: 'Milk', expirationDays: 2 });
  await recipient.clock.install();
  await recipient.goto(sharePath(token));
  await expect(recipient.getByText('Expires in 2 days')).toBeVisible();
  setInstant(server, id, 'expiresAt', Date.now() - 1);
  await recipient.clock.fastForward(2 * DAY_MS);
  await expect(recipient.getByRole('heading', { name: 'Transfer Expired' })).toBeVisible();
});

test('a scheduled transfer hides its files until its time', { tag: '@all' }, async ({
  server,
  member,
  visitorPage: recipient,
}) => {
  const scheduledAvailableAt = new Date(Date.now() + 3 * DAY_MS).toISOString();
  const sent = await sendTransfer(member.client, FILES, { title: 'Presents', scheduledAvailableAt });

  await recipient.goto(sharePath(sent.token));
  await expect(recipient.getByText('Not available yet')).toBeVisible();
  await expect(recipient.getByText(/^You can download from/)).toBeVisible();
  await expect(recipient.getByText('milk.txt')).toHaveCount(0);
  const file = await server.anonymous().fetch(fileDownloadPath(sent.token, sent.fileIds[0]!));
  expect(file.status).toBe(423);

  setInstant(server, sent.id, 'scheduledAvailableAt', Date.now() - 1);
  await recipient.reload();
  await expect(recipient.getByRole('link', { name: 'milk.txt' })).toBeVisible();
});

test('a sender schedules a transfer', { tag: '@all' }, async ({
  memberPage: sender,
  visitorPage: recipient,
}) => {
  const day = new Date(Date.now() + 5 * DAY_MS).toISOString().slice(0, 10);
  await sender.goto('/dashboard/upload');
  await sender
    .getByTestId('file-input')
    .setInputFiles({ name: 'milk.txt', mimeType: 'text/plain', buffer: FILES[0]!.bytes });
  await openOptions(sender);
  await expect(sender.getByLabel('Schedule time')).toBeDisabled();
  await sender.getByLabel('Schedule date').fill(day);
  await sender.getByLabel('Schedule time').fill('09:30');
  await startUpload(sender);
  await recipient.goto(await waitForLink(sender));
  await expect(recipient.getByText('Not available yet')).toBeVisible();
  await expect(recipient.getByText(/^You can download from .*9:30/)).toBeVisible();
});

/** Changes an instant of a transfer, so that the test need not wait. */
function setInstant(
  server: JourneyServer,
  transferId: string,
  column: 'expiresAt' | 'scheduledAvailableAt',
  epochMs: number,
): void {
  server.withDatabase((database) =>
    database.prepare(`UPDATE transfers SET ${column} = ? WHERE id = ?`).run(epochMs, transferId),
  );
}
