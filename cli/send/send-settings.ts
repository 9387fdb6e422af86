import type { CurrentUser } from '../../contracts/accounts/accounts.ts';
import { errorMessage } from '../../contracts/errors.ts';
import { FEATURES, type Feature, tierIncludes, tierLabel } from '../../contracts/plans/tiers.ts';
import { TransferSettings } from '../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads.ts';
import { CommandError, EXIT, usageError } from '../exits.ts';
import { numberOf, textOf, type Values } from '../options.ts';
import { readSecret } from '../read-input.ts';

/** What the options decide of a transfer. Throws CommandError for what the server would refuse at the end. */
export async function readSettings(values: Values): Promise<TransferSettingsInput> {
  const password = values['password-stdin']
    ? await readSecret('Password of the transfer: ')
    : textOf(values, 'password');
  const settings: TransferSettingsInput = {
    title: textOf(values, 'title'),
    message: textOf(values, 'message'),
    recipientEmails: textOf(values, 'to'),
    expirationDays: numberOf(values, 'days'),
    scheduledAvailableAt: readInstant(textOf(values, 'at')),
    password,
    maxDownloads: numberOf(values, 'max-downloads'),
    autoDeleteAfterDownloads: values['auto-delete'] === true ? true : undefined,
  };
  const checked = TransferSettings.safeParse(settings);
  const [issue] = checked.error?.issues ?? [];
  if (issue)
    throw usageError(`${OPTION_OF[String(issue.path[0])] ?? issue.path.join('.')}: ${issue.message}`);
  if (settings.autoDeleteAfterDownloads && settings.maxDownloads === undefined)
    throw usageError(`--auto-delete: ${errorMessage('auto_delete_needs_limit')}`);
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

/** The plan is asked before the first byte: the server judges settings when all bytes are there. */
export function requireIncluded({ tier }: Pick<CurrentUser, 'tier'>, settings: TransferSettingsInput): void {
  const wanted: [Feature, unknown][] = [
    ['password', settings.password],
    ['maxDownloads', settings.maxDownloads],
    ['schedule', settings.scheduledAvailableAt],
    ['autoDelete', settings.autoDeleteAfterDownloads],
  ];
  const missing = wanted.find(([feature, wish]) => wish !== undefined && !tierIncludes(tier, feature))?.[0];
  if (!missing) return;
  const { label, tier: needed } = FEATURES[missing];
  throw new CommandError(
    EXIT.refused,
    errorMessage('tier_required', { feature: label, tier: tierLabel(needed) }),
  );
}

/** Any ISO 8601 time; without a zone it is this machine's. */
function readInstant(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined;
  if (!instant || Number.isNaN(instant.getTime()))
    throw usageError('--at takes a time as in 2026-12-24T18:00.');
  return instant.toISOString();
}
