import { deleteKey, findKey } from '../../key-ring/key-ring.ts';
import { deleteDraftFiles } from './draft-files.ts';

/** A transfer that is ready keeps its key; only the files being added to it are forgotten. */
export async function forgetEncryptedDraft(transferId: string): Promise<void> {
  await deleteDraftFiles(transferId);
  const kept = await findKey(transferId);
  if (kept?.isDraft) await deleteKey(transferId);
}
