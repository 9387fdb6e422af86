import { removeRecord } from './resume-records.ts';

/**
 * Removes everything this device keeps of a draft, the key of an encrypted one among it. If the code for that cannot be
 * loaded, `settleDraftKeys` does it later.
 */
export async function forgetDraft(transferId: string): Promise<void> {
  await removeRecord(transferId);
  await import('../encryption/forget-encrypted-draft.ts').then(
    ({ forgetEncryptedDraft }) => forgetEncryptedDraft(transferId),
    () => undefined,
  );
}
