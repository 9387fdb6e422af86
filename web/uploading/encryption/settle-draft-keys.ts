import { ApiError } from '../../../client/api-error.ts';
import { getTransfer } from '../../../contracts/transfers/transfers.ts';
import { call } from '../../api/call.ts';
import { changeKey, listKeys } from '../../key-ring/key-ring.ts';
import { createBrowserTransport } from '../engine/upload-transport.ts';
import { forgetDraft } from '../unfinished/forget-draft.ts';

/**
 * Deletes the keys of drafts that the server no longer has. A transfer may have become ready although this browser never
 * got the answer: its key is kept.
 */
export async function settleDraftKeys(owner: string): Promise<void> {
  const requestedAt = Date.now();
  const drafts = (await listKeys(owner)).filter(({ isDraft }) => isDraft);
  if (drafts.length === 0) return;
  const uploads = await createBrowserTransport()
    .listUnfinished()
    .catch(() => undefined);
  if (!uploads) return;
  const unfinished = new Set(uploads.map(({ transferId }) => transferId));
  for (const { transferId, savedAt } of drafts) {
    // Keys of other windows are newer than the server's list.
    if (unfinished.has(transferId) || savedAt >= requestedAt) continue;
    try {
      await call(getTransfer, { params: { id: transferId } });
      await changeKey(transferId, { isDraft: false, draftToken: undefined });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) await forgetDraft(transferId);
    }
  }
}
