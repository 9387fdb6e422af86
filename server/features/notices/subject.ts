import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { Notice } from './emails.ts';
import type { Subject } from './queries.ts';

/** Whether the owner gets mail about downloads or views: chosen in Settings, and part of the plan of today. */
export function wantsActivity(subject: Subject, kind: 'download' | 'view'): boolean {
  if (!subject.emailVerified || !tierIncludes(subject.tier, 'notifications')) return false;
  return (kind === 'download' ? (subject.emailOnDownload ?? 1) : (subject.emailOnView ?? 0)) === 1;
}

/** Whether the owner gets mail about the end of transfers. */
export function wantsEnding({ emailVerified, emailOnExpiry }: Subject): boolean {
  return emailVerified === 1 && emailOnExpiry === 1;
}

/** What a mail about this transfer is made from. */
export function toNotice(
  { config, secret }: Pick<Context, 'config' | 'secret'>,
  { ownerId, ownerName, ownerEmail, tier, isAdmin, ...transfer }: Subject,
  now: number,
): Notice {
  const owner = { id: ownerId, name: ownerName, email: ownerEmail, tier, isAdmin };
  return { owner, transfer, publicUrl: config.publicUrl, secret, now };
}
