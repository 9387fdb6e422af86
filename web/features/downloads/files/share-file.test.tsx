import { afterEach, expect, test } from 'vitest';
import type { TierName } from '../../../../contracts/plans/tiers.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { sharePath } from '../../../../contracts/values/addresses/links.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import { expectToast, renderPage, screen, server, waitFor } from '../../../testing/render-page.tsx';

afterEach(() => {
  for (const name of ['canShare', 'share']) Reflect.deleteProperty(navigator, name);
});

/** A browser that hands files to other apps. Returns those it handed over. */
function letShare(): File[] {
  const shared: File[] = [];
  Object.assign(navigator, {
    canShare: () => true,
    share: async ({ files }: { files: File[] }) => void shared.push(...files),
  });
  return shared;
}

async function send(
  tier: TierName,
): Promise<{ token: string; countDownloads: () => Promise<number | undefined> }> {
  const { client } = await createMember(server, tier);
  const files = [{ fileName: 'letter.txt', bytes: Buffer.from('Dear Vera') }];
  const { token } = await sendTransfer(client, files);
  const view = () => server.anonymous().call(viewDownload, { params: { token } });
  const countDownloads = async () => (await view()).downloadCount;
  // A job finds out what the file is.
  if (tier !== 'free') await waitFor(async () => expect((await view()).files?.[0]?.preview).toBe('text'));
  return { token, countDownloads };
}

test('a file can be handed to another app, which counts as one download', async () => {
  const shared = letShare();
  const { token, countDownloads } = await send('premium');
  const user = renderPage(sharePath(token));
  const button = await screen.findByRole('button', { name: 'Share file…' });
  screen.getByText('Sharing counts as a download.');
  await user.click(button);
  await user.click(await screen.findByRole('button', { name: 'Share now' }));
  await waitFor(() => expect(shared).toHaveLength(2));
  expect(shared[0]!.name).toBe('letter.txt');
  expect(await countDownloads()).toBe(1);
});

test('a file that has no preview is not offered for sharing', async () => {
  letShare();
  const { token } = await send('free');
  renderPage(sharePath(token));
  await screen.findByRole('heading', { name: 'letter.txt' });
  expect(screen.queryByRole('button', { name: 'Share file…' })).toBeNull();
});

test('says so if the file cannot be fetched', async () => {
  letShare();
  const { token } = await send('premium');
  const user = renderPage(sharePath(token));
  const button = await screen.findByRole('button', { name: 'Share file…' });
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET expiresAt = 1 WHERE token = ?').run(token),
  );
  await user.click(button);
  await expectToast('Download failed', 'Failed to download file. Please try again.');
});
