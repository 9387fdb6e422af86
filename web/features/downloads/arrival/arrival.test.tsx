import { expect, test } from 'vitest';
import { completeUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { sharePath } from '../../../../contracts/values/addresses/links.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import { publishFiles, storeChunk } from '../../../../testing/uploads/arriving-transfers.ts';
import { renderPage, screen, server, waitFor } from '../../../testing/render-page.tsx';

const FILES = [
  { name: 'film.bin', bytes: Buffer.alloc(3_000_000, 1) },
  { name: 'notes.txt', bytes: Buffer.from('take two') },
];

async function publish(files = FILES) {
  const { client } = await createMember(server, 'premium');
  return { client, transfer: await publishFiles(client, files, { title: 'Rushes' }) };
}

async function arrive({ client, transfer }: Awaited<ReturnType<typeof publish>>, index: number) {
  const file = transfer.files[index]!;
  await storeChunk(client, file, 0);
  await client.call(completeUploads, { body: { transferId: transfer.id, uploadIds: [file.uploadId] } });
}

test('the page shows what has arrived and becomes the usual page when all of it is here', async () => {
  const published = await publish();
  renderPage(sharePath(published.transfer.token));
  await screen.findByRole('heading', { name: 'These files are still arriving' });
  screen.getByText('0 of 2 files complete');
  screen.getByRole('progressbar', { name: 'Arrival of film.bin' });
  expect(screen.getAllByRole('button', { name: /Start now/ }).length).toBeGreaterThan(0);
  await arrive(published, 1);
  await screen.findByText('1 of 2 files complete', undefined, { timeout: 10_000 });
  await waitFor(() => expect(screen.queryByRole('progressbar', { name: 'Arrival of notes.txt' })).toBeNull());
  await arrive(published, 0);
  await waitFor(() => expect(screen.queryByText('These files are still arriving')).toBeNull(), {
    timeout: 10_000,
  });
  screen.getAllByRole('button', { name: /Download All Files/ });
});

test('who chooses to wait gets the download when everything is here', async () => {
  const published = await publish();
  const user = renderPage(sharePath(published.transfer.token));
  await user.click(await screen.findByRole('button', { name: 'Download when it’s all here' }));
  await screen.findByText(/starts by itself/);
  await arrive(published, 0);
  await arrive(published, 1);
  await screen.findByText('Download started', undefined, { timeout: 10_000 });
});
