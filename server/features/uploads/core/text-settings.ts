import type { TextSettings } from '../../../../contracts/transfers/text-settings.ts';
import type { Context } from '../../../context.ts';
import { decideSettings } from '../../transfers/index.ts';
import type { Announcement } from './announcements.ts';
import type { CompletionRequest } from './completion.ts';
import type { Uploader } from './uploader.ts';

/** The settings for completion, with the password's hash instead of the password. */
export type CompletionSettings = Pick<CompletionRequest, 'fileCount' | 'settings' | 'passwordHash'>;

export type SplitSettings = {
  target: Pick<Announcement, 'transferId' | 'transferName'>;
  wishes: CompletionSettings;
};

/**
 * Splits settings that arrive as text into the target and the settings for completion. Refuses early what completion
 * would refuse. Throws what `decideSettings` throws.
 */
export async function splitTextSettings(
  context: Pick<Context, 'db' | 'clock'>,
  { owner }: Uploader,
  texts: TextSettings,
): Promise<SplitSettings> {
  const { transferId, transfer: transferName, fileCount, ...wanted } = texts;
  const { passwordHash } = await decideSettings(context, owner, wanted);
  const { password: _, ...settings } = wanted;
  return {
    target: { transferId, transferName },
    wishes: { fileCount, settings, passwordHash: passwordHash ?? undefined },
  };
}
