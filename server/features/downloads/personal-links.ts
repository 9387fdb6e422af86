import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { isPrefetch } from '../../platform/http/prefetch.ts';
import { ignoreFullDisk } from '../../platform/lib/app-error.ts';
import { isOwnVisit } from '../analytics/index.ts';
import type { Share } from './queries.ts';
import { findRecipientId, markOpened } from './recipient-queries.ts';

/**
 * A request by a recipient's own link, `?r=`. It tells the sender who opened and downloaded; it opens nothing:
 * the gate never looks at it. A token that is unknown or of another transfer means nothing, nor does any when
 * the owner tries the link.
 */
export type PersonalVisit = {
  share: Pick<Share, 'id' | 'userId'>;
  request: FastifyRequest;
  recipientToken: string | undefined;
};

type Deps = Pick<Context, 'db' | 'clock'>;

/** Notes that the recipient has opened the page, in whatever state it is; a prefetch is nobody's visit. */
export async function noteOpened({ db, clock }: Deps, visit: PersonalVisit): Promise<void> {
  const { share, request, recipientToken } = visit;
  if (recipientToken === undefined || isPrefetch(request)) return;
  if (await isOwnVisit(request, share.userId)) return;
  const opening = markOpened(db, { transferId: share.id, recipientToken, now: clock.now() });
  await opening.catch(ignoreFullDisk);
}

/** Whose download it is; null when nobody can tell. */
export async function findVisitingRecipient(
  { db }: Pick<Context, 'db'>,
  { share, request, recipientToken }: PersonalVisit,
): Promise<string | null> {
  if (recipientToken === undefined || (await isOwnVisit(request, share.userId))) return null;
  return (await findRecipientId(db, { transferId: share.id, recipientToken })) ?? null;
}
