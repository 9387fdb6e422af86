import { z } from 'zod';

/**
 * Why a file is held that nobody may download. `infected`: the scanner found something; `unscanned`: it could not look;
 * `blocked`: an administrator has taken its content down.
 */
export const HELD_STATES = ['infected', 'unscanned', 'blocked'] as const;
export type HeldState = (typeof HELD_STATES)[number];

/** Why a file was not scanned, in words that go on after its name. */
const UNSCANNED = {
  /** Than SCAN_MAX_SIZE, or than clamd's own limits. */
  'too-large': 'is larger than the virus scanner accepts',
  encrypted: 'is encrypted, so the virus scanner cannot look into it',
  /** For ten minutes. */
  'scanner-away': 'could not be scanned because the virus scanner does not answer',
  failed: 'could not be read by the virus scanner',
  unreadable: 'could not be read from the storage',
} as const;
export type UnscannedReason = keyof typeof UNSCANNED;

/** A held file of one's own transfer. */
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

/** How many held files the detail of a transfer names. */
export const HELD_FILES_SHOWN = 100;

/** Why a file was not scanned, e.g. 'is larger than the virus scanner accepts': goes on after the file's name. */
export function describeUnscanned(finding: string | null): string {
  return UNSCANNED[finding as UnscannedReason] ?? 'could not be scanned';
}
