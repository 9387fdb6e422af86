import type { TextSettings } from '../../../contracts/transfers/text-settings.ts';
import type { Context } from '../../context.ts';
import { decideSettings } from '../transfers/index.ts';
import type { Announcement } from './announcements.ts';
import type { CompletionRequest } from './completion.ts';
import type { Uploader } from './uploader.ts';

/** What completing is told, without a password: only its hash is kept until then. */
export type Wishes = Pick<CompletionRequest, 'fileCount' | 'settings' | 'passwordHash'>;

export type SortedWishes = { target: Pick<Announcement, 'transferId' | 'transferName'>; wishes: Wishes };

/**
 * Sorts what a caller says of a file before its first byte into where it goes and what completing is told, and
 * refuses here what would be refused there. Throws what `decideSettings` throws.
 */
export async function sortWishes(
  context: Pick<Context, 'db' | 'clock'>,
  { owner }: Uploader,
  texts: TextSettings,
): Promise<SortedWishes> {
  const { transferId, transfer: transferName, fileCount, ...wanted } = texts;
  const { passwordHash } = await decideSettings(context, owner, wanted);
  const { password: _, ...settings } = wanted;
  return {
    target: { transferId, transferName },
    wishes: { fileCount, settings, passwordHash: passwordHash ?? undefined },
  };
}
