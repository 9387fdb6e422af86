import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import type { CurrentUser } from '../../contracts/accounts/accounts.ts';
import { errorMessage } from '../../contracts/errors.ts';
import { FEATURES, tierLabel } from '../../contracts/plans/tiers.ts';
import {
  findAutoDeleteError,
  findExcludedSetting,
} from '../../contracts/transfers/settings/settings-rules.ts';
import { TransferSettings } from '../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads/uploads.ts';

/** As given on the command line. */
export type SettingsOptions = {
  to?: string | undefined;
  days?: number | undefined;
  title?: string | undefined;
  message?: string | undefined;
  password?: string | undefined;
  maxDownloads?: number | undefined;
  autoDelete?: true | undefined;
  at?: string | undefined;
};

/** Throws CommandError for values that the server would reject only after the last byte. */
export function readSettings(options: SettingsOptions): TransferSettingsInput {
  const settings: TransferSettingsInput = {
    title: options.title,
    message: options.message,
    recipientEmails: options.to,
    expirationDays: options.days,
    scheduledAvailableAt: parseTime(options.at),
    password: options.password,
    maxDownloads: options.maxDownloads,
    autoDeleteAfterDownloads: options.autoDelete,
  };
  const checked = TransferSettings.safeParse(settings);
  const [issue] = checked.error?.issues ?? [];
  if (issue)
    throw usageError(`${OPTION_OF[String(issue.path[0])] ?? issue.path.join('.')}: ${issue.message}`);
  const contradiction = findAutoDeleteError({
    autoDelete: settings.autoDeleteAfterDownloads === true,
    maxDownloads: settings.maxDownloads,
  });
  if (contradiction) throw usageError(`--auto-delete: ${errorMessage(contradiction)}`);
  return settings;
}

const OPTION_OF: Record<string, string> = {
  title: '--title',
  message: '--message',
  recipientEmails: '--to',
  expirationDays: '--days',
  scheduledAvailableAt: '--at',
  password: '--password',
  maxDownloads: '--max-downloads',
};

/** Checks the plan before sending: the server checks settings only after the last byte. */
export function requireIncluded({ tier }: Pick<CurrentUser, 'tier'>, settings: TransferSettingsInput): void {
  const excluded = findExcludedSetting(settings, tier);
  if (!excluded) return;
  const { label, tier: needed } = FEATURES[excluded];
  throw new CommandError(
    EXIT.refused,
    errorMessage('tier_required', { feature: label, tier: tierLabel(needed) }),
  );
}

/** ISO 8601; local time if it has no zone. */
function parseTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined;
  if (!time || Number.isNaN(time.getTime()))
    throw usageError('--at must be a time such as 2026-12-24T18:00.');
  return time.toISOString();
}
