import { decodeSelection } from '../../../contracts/transfers/selection.ts';
import type { Trx } from '../../platform/db/open.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { noteTransferEvent } from '../transfers/index.ts';
import type { CompletedDownload } from './claim-queries.ts';
import { findRecipientEmail } from './recipient-queries.ts';

type Completion = {
  download: CompletedDownload;
  /** It is the first by this recipient's own link. */
  isFirst: boolean;
  now: number;
};

/**
 * Has the owner's webhooks told that a download is complete, in the transaction that completes it; not of the owner's
 * own. Where nobody listens it is one or two lookups in an index.
 */
export async function noteCompleted(trx: Trx, { download, isFirst, now }: Completion): Promise<void> {
  const { transferId, recipientId, noticedAt } = download;
  // The claim marked what need not be told.
  if (noticedAt !== null) return;
  const email = async () => (recipientId === null ? undefined : await findRecipientEmail(trx, recipientId));
  await noteTransferEvent(trx, transferId, {
    type: 'transfer.downloaded',
    more: async () => ({ download: describe(download, (await email()) ?? null, now) }),
    now,
  });
  if (!isFirst) return;
  await noteTransferEvent(trx, transferId, {
    type: 'transfer.completed',
    more: async () => ({ recipient: { email: (await email()) ?? '', downloadedAt: toIso(now) } }),
    now,
  });
}

function describe(
  { id, downloadedAt, fileId, selection }: CompletedDownload,
  recipientEmail: string | null,
  completedAt: number,
) {
  return {
    id,
    downloadedAt: toIso(downloadedAt),
    completedAt: toIso(completedAt),
    fileId,
    selectedFiles: selection === null ? null : (decodeSelection(selection)?.length ?? null),
    recipientEmail,
  };
}
