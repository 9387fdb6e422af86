import type { FastifyRequest } from 'fastify';
import type { TransferRow, UploadRow, UserRow } from '../../../platform/db/schema.ts';
import { addressKey } from '../../../platform/http/limits/rate-limits.ts';
import type { Identity, Visitor } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

/** The sender of files: their future owner or, with `visitor`, an invited visitor. */
export type Uploader = {
  owner: Pick<UserRow, 'id' | 'tier' | 'name'>;
  visitor: Visitor | undefined;
  /** The network that the call came from, as `addressKey` names it. */
  address: string;
};

/** Whose an upload is, as its row says. An owner's calls do not see what visitors send, nor visitors each other's. */
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

/**
 * A visitor's draft is that visitor's alone; once it is ready it is a transfer of the owner's like any other.
 * Throws AppError `transfer_not_found`.
 */
export function requireReach({ visitor }: Uploader, { visitorKey, status }: TransferRow): void {
  const isTheirs = visitor ? visitorKey === visitor.key : visitorKey === null || status === 'ready';
  if (!isTheirs) throw new AppError('transfer_not_found');
}

/** What a visitor has delivered is closed to the visitor. Throws AppError `transfer_not_found`. */
export function requireStillOpen({ visitor }: Uploader, { status }: TransferRow): void {
  if (visitor && status !== 'draft') throw new AppError('transfer_not_found');
}
