import type { FastifyRequest } from 'fastify';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { requireAddressWithinLimits } from '../../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { sendReopenRequest } from '../../notices/index.ts';
import { isUsedUp, requireNotBlocked, viewTransfer } from '../access/access.ts';
import { readGrant } from '../access/cookies.ts';

const PER_ADDRESS = { key: 'ask-to-reopen', limit: 20, windowMs: HOUR_MS };

type Request = { token: string; note: string | undefined; request: FastifyRequest };

/**
 * Asks the owner of an expired or used-up transfer to reopen it. Resolves alike whether the owner is mailed or was asked
 * recently. Throws what `viewTransfer` throws and AppError `transfer_taken_down`, `transfer_blocked`,
 * `transfer_not_closed`, `transfer_used_up` (its owner can't reopen it), `too_many_requests`.
 */
export async function askToReopen(context: Context, { token, note, request }: Request): Promise<void> {
  const proofs = { grant: readGrant(request), request };
  const { share, availability } = await viewTransfer(context, token, proofs);
  requireNotBlocked(availability);
  const isOver = availability === 'expired' || (availability === 'open' && isUsedUp(share));
  if (!isOver) throw new AppError('transfer_not_closed');
  if (share.closedAt !== null) throw new AppError('transfer_used_up');
  await requireAddressWithinLimits(context, request, PER_ADDRESS);
  await sendReopenRequest(context, { transferId: share.id, note });
}
