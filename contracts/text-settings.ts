import { z } from 'zod';
import { Id, lineUpTo } from './common.ts';
import { MAX_FILES_PER_TRANSFER } from './limits.ts';
import { TransferSettings } from './transfers.ts';

/** How a transfer is to be, where everything is text: in addresses, headers and tus metadata. */
const Settings = TransferSettings.extend({
  /** A transfer of the caller's that the file is to join. */
  transferId: Id.optional(),
  /** Any name: files that are sent with the same one make one transfer. */
  transfer: lineUpTo(200).min(1, 'Please give the transfer a name.').optional(),
  /** Files the transfer is to have before it is ready. */
  fileCount: z.int().min(1).max(MAX_FILES_PER_TRANSFER).optional(),
});

export type TextSettings = z.output<typeof Settings>;

/** Short names, for what is typed by hand. */
const ALIASES: Record<string, keyof TextSettings> = {
  to: 'recipientEmails',
  recipients: 'recipientEmails',
  days: 'expirationDays',
};

const NUMBERS = new Set(['expirationDays', 'maxDownloads', 'fileCount']);
const FLAGS = new Set(['autoDeleteAfterDownloads']);
const YES = new Set(['true', '1', 'on', 'yes']);

/** The names that mean a setting; in lower case, as headers are. */
const NAMES = new Map(
  [...Object.keys(Settings.shape).map((name) => [name, name] as const), ...Object.entries(ALIASES)].map(
    ([name, setting]) => [name.toLowerCase(), setting],
  ),
);

/** Which setting a text's name stands for, with or without hyphens (`Expiration-Days`); undefined for none. */
function settingNamed(name: string): string | undefined {
  return NAMES.get(name.toLowerCase().replaceAll('-', ''));
}

/** Reads settings given as texts; names that are none are passed over, and so are empty texts. */
export function parseTextSettings(texts: Iterable<readonly [name: string, text: string]>) {
  const wishes: Record<string, unknown> = {};
  for (const [name, text] of texts) {
    const setting = settingNamed(name);
    if (setting !== undefined && text !== '') wishes[setting] = toValue(setting, text);
  }
  return Settings.safeParse(wishes);
}

function toValue(setting: string, text: string): unknown {
  if (NUMBERS.has(setting)) return text.trim() === '' ? text : Number(text);
  return FLAGS.has(setting) ? YES.has(text.toLowerCase()) : text;
}
