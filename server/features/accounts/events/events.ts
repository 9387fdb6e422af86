import type { FastifyRequest } from 'fastify';
import {
  ACCOUNT_EVENTS_MAX,
  ACCOUNT_EVENTS_PER_PAGE,
  type AccountEvent,
  type AccountEventKind,
} from '../../../../contracts/accounts/events.ts';
import type { SignInMethod } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../../platform/lib/cursor.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { insertEvent, listEvents } from './queries.ts';

const USER_AGENT_MAX = 300;

type NewAccountEvent = {
  userId: string;
  kind: AccountEventKind;
  /** Who did it: address and browser. Undefined for acts of the server and of administrators. */
  request?: Pick<FastifyRequest, 'ip' | 'headers'> | undefined;
  /** `name`: of the key, webhook or factor. Never a secret. */
  details?: { method?: SignInMethod; name?: string };
};

/** Adds an event to the owner's "Recent activity". Call it in the transaction of the fact. */
export async function recordAccountEvent(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  { userId, kind, request, details }: NewAccountEvent,
): Promise<void> {
  const row = {
    id: randomId(),
    userId,
    kind,
    ipAddress: request?.ip ?? null,
    userAgent: request?.headers['user-agent']?.slice(0, USER_AGENT_MAX) ?? null,
    details: details ? JSON.stringify(details) : null,
    createdAt: clock.now(),
  };
  await insertEvent(trx, row, { max: ACCOUNT_EVENTS_MAX });
}

/** Newest first. Throws AppError `invalid_input` for an invalid cursor. */
export async function listAccountEvents(
  { db, geo }: Pick<Context, 'db' | 'geo'>,
  userId: string,
  { limit = ACCOUNT_EVENTS_PER_PAGE, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<AccountEvent>> {
  const after = readCursor(cursor, 'newest');
  const rows = await listEvents(db, { userId, after, limit: limit + 1 });
  const { shown, nextCursor } = cutPage(rows, { sort: 'newest', limit });
  const items = shown.map(({ id, kind, ipAddress, userAgent, details, createdAt }) => {
    const { method = null, name = null } = JSON.parse(details ?? '{}') as NonNullable<
      NewAccountEvent['details']
    >;
    return {
      id,
      kind: kind as AccountEventKind,
      createdAt: toIso(createdAt),
      ipAddress,
      userAgent,
      ...geo.locate(ipAddress),
      method,
      name,
    };
  });
  return { items, nextCursor };
}
