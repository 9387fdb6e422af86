import type { ErrorCode } from '../../../contracts/errors.ts';
import type { TransferSettings } from '../../../contracts/transfers/transfers.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { InvitationRow, TransferRow } from '../../platform/db/schema.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { holdOpenInvitation } from '../invitations/index.ts';
import type { Uploader } from './uploader.ts';

/** Of a visitor the invitation, held until the transaction ends. Throws AppError `invitation_not_found`, `invitation_closed`. */
export async function holdInvitation(
  trx: Trx,
  context: Pick<Context, 'clock'>,
  { visitor }: Uploader,
): Promise<InvitationRow | undefined> {
  return visitor && holdOpenInvitation(trx, context, visitor.invitationId);
}

const PLAN_LIMITS = new Set<ErrorCode>([
  'transfer_limit_exceeded',
  'monthly_limit_exceeded',
  'count_quota_exceeded',
]);

/** A visitor reads that there is no room, and not which plan the owner has or what is left of it. */
export async function hidePlan<T>({ owner, visitor }: Uploader, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const isOfPlan = isAppError(cause) && PLAN_LIMITS.has(cause.code);
    if (!visitor || !isOfPlan) throw cause;
    throw new AppError('invitation_full', { details: { sender: owner.name }, cause });
  }
}

/**
 * What a visitor may decide of what they deliver: a message. It is called what the invitation is called, and
 * kept as long as the owner's plan says. Throws AppError `not_allowed` for any other wish.
 */
export function decideVisitorWishes(
  { message, ...others }: TransferSettings,
  { title }: Pick<TransferRow, 'title'>,
): TransferSettings {
  if (Object.values(others).some((wish) => wish !== undefined)) throw new AppError('not_allowed');
  return { message, title: title ?? undefined };
}
