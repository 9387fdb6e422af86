import { t } from '@lingui/core/macro';
import type { UnscannedReason } from '../../../contracts/transfers/held-files.ts';

const REASONS: Record<UnscannedReason, string> = {
  'too-large': t`larger than the virus scanner accepts`,
  encrypted: t`encrypted, so the virus scanner cannot look into it`,
  'scanner-away': t`not scanned because the virus scanner does not answer`,
  failed: t`the virus scanner could not read it`,
  unreadable: t`it could not be read from the storage`,
};

/** Why a file was not scanned, to follow its name and a colon. */
export function describeUnscanned(finding: string | null): string {
  return REASONS[finding as UnscannedReason] ?? t`it could not be scanned`;
}
