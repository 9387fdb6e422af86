import { removeRecord } from './resume-records.ts';

/** Removes everything this device keeps of a draft, the key of an encrypted one among it. */
export async function forgetDraft(transferId: string): Promise<void> {
  await removeRecord(transferId);
  const { forgetEncryptedDraft } = await import('../encryption/forget-encrypted-draft.ts');
  await forgetEncryptedDraft(transferId);
}
