import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { deleteTransfers, restoreTransfers } from '../../../contracts/transfers/transfer-batches.ts';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { queryClient } from '../../api/query-client.ts';
import {
  answerOnce,
  cutOnce,
  expectToast,
  renderAsMember,
  screen,
  sentTo,
} from '../../testing/render-page.tsx';
import { useDeleteTransfers } from './deletion.ts';

function DeleteAll({ transfers }: { transfers: Transfer[] }) {
  const { mutate } = useDeleteTransfers();
  return (
    <button type="button" onClick={() => mutate(transfers)}>
      Delete all
    </button>
  );
}

test('what was deleted before the connection broke can be undone', async () => {
  const { user } = await renderAsMember('/dashboard/settings');
  const ids = Array.from({ length: 130 }, (_, index) => `transfer-${index}`);
  const done = ids.slice(0, 100);
  const results = done.map((transferId) => ({ transferId, error: null }));
  render(
    <QueryClientProvider client={queryClient}>
      <DeleteAll transfers={ids.map((id) => ({ id }) as Transfer)} />
    </QueryClientProvider>,
  );
  answerOnce(deleteTransfers, { body: { results } });
  cutOnce(deleteTransfers);
  await user.click(screen.getByRole('button', { name: 'Delete all' }));
  await expectToast('100 transfers deleted', '30 transfers could not be deleted.');
  answerOnce(restoreTransfers, { body: { results } });
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await expectToast('100 transfers restored');
  expect(await sentTo(restoreTransfers)).toEqual([{ transferIds: done }]);
});
