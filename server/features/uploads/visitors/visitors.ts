import type { ErrorCode } from '../../../../contracts/errors.ts';
import type { TransferSettings } from '../../../../contracts/transfers/transfers.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { InvitationRow, TransferRow } from '../../../platform/db/schema.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { lockOpenInvitation } from '../../invitations/index.ts';
import type { Uploader } from '../core/uploader.ts';

/** Returns undefined for an owner. Throws AppError `invitation_not_found`, `invitation_closed`. */
export async function lockInvitation(
  trx: Trx,
  context: Pick<Context, 'clock'>,
  { visitor }: Uploader,
): Promise<InvitationRow | undefined> {
  return visitor && lockOpenInvitation(trx, context, visitor.invitationId);
}

const PLAN_LIMITS = new Set<ErrorCode>([
  'transfer_limit_exceeded',
  'monthly_limit_exceeded',
  'count_quota_exceeded',
]);

/** Shows visitors `invitation_full` instead of limit errors, which would reveal the owner's plan or remaining quota. */
export async function hidePlanLimits<T>({ owner, visitor }: Uploader, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const isOfPlan = isAppError(cause) && PLAN_LIMITS.has(cause.code);
    if (!visitor || !isOfPlan) throw cause;
    throw new AppError('invitation_full', { details: { sender: owner.name }, cause });
  }
}

/** Visitors may only set a message. */
export function decideVisitorSettings(
  { message, ...others }: TransferSettings,
  { title }: Pick<TransferRow, 'title'>,
): TransferSettings {
  if (Object.values(others).some((setting) => setting !== undefined)) throw new AppError('not_allowed');
  return { message, title: title ?? undefined };
}
