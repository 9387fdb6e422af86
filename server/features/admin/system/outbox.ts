import type { z } from 'zod';
import { ADMIN_PAGE_DEFAULT } from '../../../../contracts/admin/pages.ts';
import type {
  AdminMail,
  listMails as listMailsCall,
  RecipientMails,
} from '../../../../contracts/admin/system.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { isOlderThan } from '../../../platform/db/queries/newest-first.ts';
import { prepareTextSearch, type TextSearch } from '../../../platform/db/queries/text-search.ts';
import { type ScannedRow, walk } from '../../../platform/db/queries/walk.ts';
import type { MailRow } from '../../../platform/db/schema.ts';
import { findSearchCandidates, withoutIndex } from '../../../platform/db/search/search-index.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { cutPage, type Position, readCursor } from '../../../platform/lib/cursor.ts';
import type { MailKind } from '../../../platform/mail/kinds.ts';
import { findOptOut } from '../../../platform/mail/opt-outs.ts';
import { findNextTries, retryMail as reviveMail } from '../../../platform/mail/send-mail.ts';
import { type By, recordAct } from '../audit.ts';

type Query = z.output<NonNullable<typeof listMailsCall.query>>;

/** `isGone` returns true once the client has disconnected. Throws AppError `invalid_input` for an invalid cursor. */
export async function listMails(
  { db }: Pick<Context, 'db'>,
  query: Query,
  isGone: () => boolean,
): Promise<Page<AdminMail>> {
  const { state, search, limit = ADMIN_PAGE_DEFAULT, cursor } = query;
  const after = readCursor(cursor, 'newest');
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  const among = await findSearchCandidates(db, { kind: 'mails', text: search });
  const rows = await walk({
    readSlice: (behind, size) => selectMailSlice(db, { state, contains, among, after: behind, limit: size }),
    after,
    wanted: limit + 1,
    isGone,
  });
  const { shown, nextCursor } = cutPage(rows, { sort: 'newest', limit });
  const ids = shown.map(({ id }) => id);
  return { items: await presentMails(db, await selectMails(db, ids)), nextCursor };
}

export async function retryMail({ db }: Context, { id, by }: { id: string; by: By }): Promise<AdminMail> {
  const mail = await transaction(db, async (trx) => {
    await reviveMail(trx, id);
    const revived = await findMail(trx, id);
    if (!revived) throw new AppError('mail_not_found');
    const { kind, recipient } = revived;
    await recordAct(trx, {
      ...by,
      action: 'mail.retry',
      subject: `${kind} to ${recipient}`,
      subjectId: id,
    });
    return revived;
  });
  return (await presentMails(db, [mail]))[0]!;
}

const COUNTED_MAILS = 1_000;

export async function findRecipient({ db }: Pick<Context, 'db'>, email: string): Promise<RecipientMails> {
  const address = email.trim();
  return {
    mails: await countMailsTo(db, address, COUNTED_MAILS),
    unsubscribedAt: toIsoOrNull((await findOptOut(db, address)) ?? null),
  };
}

async function presentMails(db: Db, mails: ShownMail[]): Promise<AdminMail[]> {
  const queued = mails.filter(({ state }) => state === 'queued').map(({ id }) => id);
  const nextTries = await findNextTries(db, queued);
  return mails.map((mail) => presentMail(mail, nextTries.get(mail.id)));
}

/** Their subjects contain a code, which only the recipient may see. */
const WITH_CODES: string[] = ['verification-code', 'visitor-code'] satisfies MailKind[];

function presentMail(mail: ShownMail, nextTryAt: number | undefined): AdminMail {
  return {
    id: mail.id,
    kind: mail.kind,
    recipient: mail.recipient,
    subject: WITH_CODES.includes(mail.kind) ? mail.subject.replace(/\d{6}/g, '••••••') : mail.subject,
    state: mail.state,
    attempts: mail.attempts,
    reason: mail.lastError,
    createdAt: toIso(mail.createdAt),
    sentAt: toIsoOrNull(mail.sentAt),
    nextTryAt: nextTryAt === undefined ? null : toIso(Math.max(nextTryAt, mail.createdAt)),
  };
}

/** The bodies are left out because they contain links. */
const SHOWN = [
  'id',
  'kind',
  'recipient',
  'subject',
  'state',
  'attempts',
  'lastError',
  'createdAt',
  'sentAt',
] as const satisfies (keyof MailRow)[];
type ShownMail = Pick<MailRow, (typeof SHOWN)[number]>;

type MailSlice = {
  state: MailRow['state'] | undefined;
  contains: TextSearch | undefined;
  among: string[] | undefined;
  after: Position | undefined;
  limit: number;
};

function selectMailSlice(db: Db, { state, contains, among, after, limit }: MailSlice): Promise<ScannedRow[]> {
  return db
    .selectFrom('mails')
    .select((eb) => [
      'id',
      'createdAt as sortKey',
      contains === undefined
        ? eb.lit(1).as('isWanted')
        : eb
            .case()
            .when(eb.or([contains(eb.ref('recipient')), contains(eb.ref('subject'))]))
            .then(1)
            .else(0)
            .end()
            .as('isWanted'),
    ])
    .$if(among !== undefined, (query) => query.where('id', 'in', among!))
    .$if(state !== undefined, (query) =>
      query.where((eb) => eb(among ? withoutIndex(eb.ref('state')) : eb.ref('state'), '=', state!)),
    )
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'createdAt', id: 'id' }, after!)),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

async function selectMails(db: Db, ids: string[]): Promise<ShownMail[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('mails').select(SHOWN).where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

async function countMailsTo(db: Db, email: string, limit: number): Promise<number> {
  const row = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('recipient', 'in', [email, email.toLowerCase()])
        .limit(limit)
        .as('found'),
    )
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

function findMail(db: Db, id: string): Promise<ShownMail | undefined> {
  return db.selectFrom('mails').select(SHOWN).where('id', '=', id).executeTakeFirst();
}
