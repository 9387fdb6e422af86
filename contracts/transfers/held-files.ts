import { z } from 'zod';

/**
 * Why a file cannot be downloaded. `infected`: the scanner found something; `unscanned`: it could not scan the file;
 * `blocked`: an administrator took its content down.
 */
export const HELD_STATES = ['infected', 'unscanned', 'blocked'] as const;
export type HeldState = (typeof HELD_STATES)[number];

/** Why a file was not scanned; continues a sentence that begins with the file's name. */
const UNSCANNED = {
  /** Larger than SCAN_MAX_SIZE or than a limit of clamd. */
  'too-large': 'is larger than the virus scanner accepts',
  encrypted: 'is encrypted, so the virus scanner cannot look into it',
  /** After ten minutes without a response. */
  'scanner-away': 'could not be scanned because the virus scanner does not answer',
  failed: 'could not be read by the virus scanner',
  unreadable: 'could not be read from the storage',
} as const;
export type UnscannedReason = keyof typeof UNSCANNED;

export const OwnHeldFile = z.object({
  id: z.string(),
  relativePath: z.string(),
  state: z.enum(HELD_STATES),
  finding: z
    .string()
    .nullable()
    .describe(
      'What the scanner calls it, or why it was not scanned: `too-large`, `encrypted`, `scanner-away`, `failed` or `unreadable`. Null for a blocked file.',
    ),
});
export type OwnHeldFile = z.infer<typeof OwnHeldFile>;

/** The most held files that the detail of a transfer lists. */
export const HELD_FILES_SHOWN = 100;

/** Why a file was not scanned, as the rest of a sentence that begins with the file's name. */
export function describeUnscanned(finding: string | null): string {
  return UNSCANNED[finding as UnscannedReason] ?? 'could not be scanned';
}
