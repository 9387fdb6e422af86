import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Expression, Insertable, Selectable, SqlBool } from 'kysely';
import type { z } from 'zod';
import { type AuditEntry, listAudit as listAuditCall } from '../../../contracts/admin/audit.ts';
import { ADMIN_PAGE_DEFAULT } from '../../../contracts/admin/pages.ts';
import type { Page } from '../../../contracts/values/paging.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { isOlderThan } from '../../platform/db/queries/newest-first.ts';
import { prepareTextSearch, type TextSearch } from '../../platform/db/queries/text-search.ts';
import { type ScannedRow, walk } from '../../platform/db/queries/walk.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { AuditLogTable } from '../../platform/db/schema/platform.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { findSearchCandidates } from '../../platform/db/search/search-index.ts';
import { afterCommit } from '../../platform/db/transaction.ts';
import { route } from '../../platform/http/routing/route.ts';
import type { SecurityDetails, SecurityEvent } from '../../platform/http/security/security-log.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { cutPage, type Position, readCursor } from '../../platform/lib/cursor.ts';
import { randomId } from '../../platform/lib/tokens.ts';

export type By = { actor: UserRow; request: FastifyRequest; at: Instant };

export type Act = By & {
  /** Subject type, dot, verb: 'user.create', 'transfer.delete'. */
  action: `${string}.${string}`;
  /** Stays meaningful after the subject's deletion: a username, a title, a coupon code. */
  subject: string;
  subjectId?: string;
  /** The changed fields with their new values. Never a password, a token or a key. */
  details?: Record<string, unknown>;
};

export function byCaller(
  { clock }: Pick<Context, 'clock'>,
  { user, request }: { user: UserRow; request: FastifyRequest },
): By {
  return { actor: user, request, at: clock.now() };
}

/** Records an administrator's action in the action's transaction; after the commit, logs it as a security event. */
export function recordAct(trx: Trx, act: Act): Promise<void> {
  return recordActs(trx, [act]);
}

export async function recordActs(trx: Trx, acts: Act[]): Promise<void> {
  const rows = acts.map(({ actor, request, at, action, subject, subjectId, details }) => ({
    id: randomId(),
    at,
    actorId: actor.id,
    actorName: actor.username,
    action,
    subject,
    subjectId: subjectId ?? null,
    details: JSON.stringify(details ?? {}),
    ipAddress: request.ip,
  }));
  await insertActs(trx, rows);
  afterCommit(trx, () => acts.forEach(logAct));
}

function logAct(act: Act): void {
  const { security } = act.request.server;
  for (const [event, details] of eventsOf(act)) security.record(act.request, event, details);
}

/** The account of an event is the user of a user action, and the administrator for all others. */
function eventsOf({ actor, action, subjectId = '', details = {} }: Act): [SecurityEvent, SecurityDetails][] {
  const about = { accountId: subjectId, actorId: actor.id };
  const byAdministrator = { ...about, cause: 'administrator' };
  switch (action) {
    case 'user.create':
      return [['account.created', { ...about, tier: String(details.tier) }]];
    case 'user.delete':
      return [['account.deleted', byAdministrator]];
    case 'user.tier': {
      const { from, to } = details;
      return [['account.plan_changed', { ...byAdministrator, from: String(from), to: String(to) }]];
    }
    case 'user.admin': {
      const isAdmin = details.isAdmin === true;
      const change: [SecurityEvent, SecurityDetails] = ['account.role_changed', { ...about, isAdmin }];
      return isAdmin ? [change] : [change, ['session.ended', { ...about, cause: 'role' }]];
    }
    case 'user.sign-out':
      return [['session.ended', byAdministrator]];
    case 'user.reset-second-factor':
      return [['factor.removed', byAdministrator]];
    case 'user.reset-password':
      return [
        ['account.password_changed', byAdministrator],
        ['session.ended', byAdministrator],
      ];
    default:
      return [['admin.action', { accountId: actor.id, action, subjectId }]];
  }
}

export function auditRoutes(app: FastifyInstance, context: Context): void {
  route(app, listAuditCall, ({ query, request }) =>
    listAudit(context, query, () => request.raw.socket.destroyed),
  );
}

type Query = z.output<NonNullable<typeof listAuditCall.query>>;

/**
 * `action` is a full name ('user.create') or its first part. `isGone` returns true once the client has disconnected.
 * Throws AppError `invalid_input` for an invalid cursor.
 */
async function listAudit(
  { db }: Pick<Context, 'db'>,
  query: Query,
  isGone: () => boolean,
): Promise<Page<AuditEntry>> {
  const { search, action, cursor, limit = ADMIN_PAGE_DEFAULT } = query;
  const after = readCursor(cursor, 'newest');
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  const among = await findSearchCandidates(db, { kind: 'auditLog', text: search });
  const rows = await walk({
    readSlice: (behind, size) => selectActSlice(db, { contains, among, action, after: behind, limit: size }),
    after,
    wanted: limit + 1,
    isGone,
  });
  const { shown, nextCursor } = cutPage(rows, { sort: 'newest', limit });
  return { items: shown.map(present), nextCursor };
}

function present({ id, at, actorName, action, subject, details, ipAddress }: AuditRow): AuditEntry {
  return { id, at: toIso(at), actor: actorName, action, subject, details: JSON.parse(details), ipAddress };
}

type AuditRow = Selectable<AuditLogTable>;

async function insertActs(trx: Trx, rows: Insertable<AuditLogTable>[]): Promise<void> {
  await trx.insertInto('auditLog').values(rows).execute();
}

type AuditSlice = {
  contains: TextSearch | undefined;
  among: string[] | undefined;
  action: string | undefined;
  after: Position | undefined;
  limit: number;
};

async function selectActSlice(
  db: Db,
  { contains, among, action, after, limit }: AuditSlice,
): Promise<(AuditRow & ScannedRow)[]> {
  return await db
    .selectFrom('auditLog')
    .selectAll()
    .select('at as sortKey')
    .select((eb) => {
      const conditions: Expression<SqlBool>[] = [];
      if (action) conditions.push(eb.or([eb('action', '=', action), eb('action', 'like', `${action}.%`)]));
      const texts = (['subject', 'actorName', 'subjectId'] as const).map((column) => eb.ref(column));
      if (contains) conditions.push(eb.or(texts.map(contains)));
      return eb.case().when(eb.and(conditions)).then(1).else(0).end().as('isWanted');
    })
    .$if(among !== undefined, (query) => query.where('id', 'in', among!))
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'at', id: 'id' }, after!)),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
