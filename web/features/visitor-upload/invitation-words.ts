import { plural, t } from '@lingui/core/macro';
import { errorMessage } from '../../../contracts/errors.ts';
import {
  findInvitationBreach,
  type InvitationBreach,
  type InvitationDetails,
  type InvitationLimits,
  type InvitedFile,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { i18n } from '../../lib/language/messages.tsx';
import { translateSentence } from '../../lib/language/sentences.ts';

const TITLES: Record<InvitationBreach['code'], string> = {
  invited_file_too_large: t`File too large`,
  too_many_invited_files: t`Too many files`,
  invited_total_exceeded: t`Total size exceeds limit`,
  file_type_not_allowed: t`File type not allowed`,
};

/** Why these files can't be sent together, if so. The server decides. */
export function describeBreach(files: InvitedFile[], limits: InvitationLimits) {
  const breach = findInvitationBreach(files, limits);
  return (
    breach && {
      title: TITLES[breach.code],
      description: translateSentence(errorMessage(breach.code, breach.details)),
    }
  );
}

/** 'up to 40', or '2 of 40 left' if some is used. */
export function describeRoom(left: number, limit: number, format: (amount: number) => string): string {
  return left === limit ? t`up to ${format(limit)}` : t`${format(left)} of ${format(limit)} left`;
}

/** '7 of 10 files, 1.2 GB left'; undefined if nothing is left. */
export function describeLeft({
  remaining,
  maxFiles,
}: Pick<InvitationDetails, 'remaining' | 'maxFiles'>): string | undefined {
  const { files, bytes } = remaining;
  if (files === 0 || bytes === 0) return undefined;
  const [left, limit, size] = [formatCount(files), formatCount(maxFiles), formatSize(bytes)];
  return plural(maxFiles, {
    one: `${left} of ${limit} file, ${size} left`,
    other: `${left} of ${limit} files, ${size} left`,
  });
}

/** 'PDF, JPG, or DOCX'; 'Any' if empty. */
export function describeTypes(types: string[]): string {
  if (types.length === 0) return t`Any`;
  return new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).format(
    types.map((type) => type.toUpperCase()),
  );
}
