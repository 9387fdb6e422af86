import type { FastifyRequest } from 'fastify';
import type { TransferRow, UploadRow, UserRow } from '../../../platform/db/schema.ts';
import { addressKey } from '../../../platform/http/limits/rate-limits.ts';
import type { Identity, Visitor } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { isExpired } from '../../transfers/index.ts';

/** With `visitor`, `owner` is the invitation's sender. */
export type Uploader = {
  owner: Pick<UserRow, 'id' | 'tier' | 'name'>;
  visitor: Visitor | undefined;
  address: string;
};

/** Owners don't see visitors' uploads, nor visitors each other's. */
export type Scope = Pick<UploadRow, 'userId' | 'visitorKey'>;

export function uploaderOf({
  user,
  visitor,
  request,
}: Pick<Identity, 'user' | 'visitor'> & { request: FastifyRequest }): Uploader {
  return { owner: user, visitor, address: addressKey(request) };
}

export function scopeOf({ owner, visitor }: Uploader): Scope {
  return { userId: owner.id, visitorKey: visitor?.key ?? null };
}

/** Visitors reach only their own drafts, owners all but visitors' drafts. */
export function requireAccess({ visitor }: Uploader, { visitorKey, status }: TransferRow): void {
  const isTheirs = visitor ? visitorKey === visitor.key : visitorKey === null || status === 'ready';
  if (!isTheirs) throw new AppError('transfer_not_found');
}

/** Visitors cannot change a transfer after delivering it. */
export function requireStillOpen({ visitor }: Uploader, { status }: TransferRow): void {
  if (visitor && status !== 'draft') throw new AppError('transfer_not_found');
}

/** For files that are announced for the transfer or join it. Throws AppError `transfer_expired`, `transfer_used_up`. */
export function requireAcceptsFiles(transfer: TransferRow, now: number): void {
  if (isExpired(transfer, now)) throw new AppError('transfer_expired');
  // Auto-delete has closed the transfer; it is removed after its last download.
  if (transfer.closedAt !== null) throw new AppError('transfer_used_up');
}
