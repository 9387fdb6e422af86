import { z } from 'zod';

/**
 * Why a file is held. `infected`: the scanner found malware; `unscanned`: it could not scan the file; `blocked`: an
 * administrator took the content down.
 */
export const HELD_STATES = ['infected', 'unscanned', 'blocked'] as const;
export type HeldState = (typeof HELD_STATES)[number];

/** Each text follows the name of the file. */
const UNSCANNED = {
  /** Exceeds SCAN_MAX_SIZE or a limit of clamd. */
  'too-large': 'is larger than the virus scanner accepts',
  encrypted: 'is encrypted, so the virus scanner cannot look into it',
  /** No response for ten minutes. */
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

export const HELD_FILES_SHOWN = 100;

/** A predicate to put after the name of the file. */
export function describeUnscanned(finding: string | null): string {
  return UNSCANNED[finding as UnscannedReason] ?? 'could not be scanned';
}
