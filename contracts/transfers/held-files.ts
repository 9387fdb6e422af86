import { z } from 'zod';

/**
 * Why a file is held. `infected`: the scanner found malware; `unscanned`: it could not scan the file; `blocked`: an
 * administrator took the content down.
 */
export const HELD_STATES = ['infected', 'unscanned', 'blocked'] as const;
export type HeldState = (typeof HELD_STATES)[number];

/**
 * Why a file was not scanned. `too-large`: it exceeds SCAN_MAX_SIZE or a limit of clamd; `scanner-away`: no response for
 * ten minutes; `unreadable`: it could not be read from the storage.
 */
export type UnscannedReason = 'too-large' | 'encrypted' | 'scanner-away' | 'failed' | 'unreadable';

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
