import { t } from '@lingui/core/macro';
import { ERRORS } from '../../../contracts/errors.ts';
import { fitsMonth, fitsTransfer } from '../../../contracts/plans/limits.ts';
import type { TierLimits, TierName } from '../../../contracts/plans/tiers.ts';
import { fillPlaceholders } from '../../../contracts/values/placeholders.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { translateSentence } from '../../lib/language/sentences.ts';

type LimitBreach = { title: string; description: string };

export type Plan = {
  tier: TierName;
  limits: TierLimits;
  /** False while the limits load; `limits` are the defaults then and must not be shown. */
  isKnown: boolean;
  /** Bytes used this month; undefined while loading. */
  monthlyUsage: number | undefined;
};

type Load = {
  /** Bytes of the whole transfer. */
  transferBytes: number;
  /** Bytes the server has not reserved yet. */
  newBytes: number;
};

/** The first limit these files exceed. The server decides; this saves people the attempt. */
export function findLimitBreach(plan: Plan, { transferBytes, newBytes }: Load): LimitBreach | undefined {
  const { tier, limits, isKnown, monthlyUsage = 0 } = plan;
  if (!isKnown) return undefined;
  if (!fitsTransfer(transferBytes, 0, limits.storagePerTransfer))
    return describeBreach('transfer_limit_exceeded', { tier, size: formatSize(limits.storagePerTransfer) });
  if (!fitsMonth(newBytes, monthlyUsage, limits.monthlyTotal)) {
    const remaining = formatSize(Math.max(0, limits.monthlyTotal - monthlyUsage));
    const size = formatSize(limits.monthlyTotal);
    return describeBreach('monthly_limit_exceeded', { tier, size, remaining });
  }
  return undefined;
}

const TITLES = {
  transfer_limit_exceeded: t`File size limit exceeded`,
  monthly_limit_exceeded: t`Monthly limit exceeded`,
};

/** The toast's title if the server refused because of a limit. */
export function limitTitle(code: string | undefined): string | undefined {
  return TITLES[code as keyof typeof TITLES];
}

const SENTENCES = {
  transfer_limit_exceeded: ERRORS.transfer_limit_exceeded.message,
  monthly_limit_exceeded: ERRORS.monthly_limit_exceeded.message,
};

function describeBreach(code: keyof typeof TITLES, details: Record<string, unknown>): LimitBreach {
  return { title: TITLES[code], description: translateSentence(fillPlaceholders(SENTENCES[code], details)) };
}
