import type { Db } from '../../platform/db/open.ts';
import type { MailRow } from '../../platform/db/schema.ts';
import type { TextSearch } from '../../platform/db/text-search.ts';
import type { Looked } from '../../platform/db/walk.ts';
import type { Position } from '../../platform/lib/cursor.ts';

/** All but the bodies, which hold links. */
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
export type ShownMail = Pick<MailRow, (typeof SHOWN)[number]>;

type MailSlice = {
  state: MailRow['state'] | undefined;
  contains: TextSearch | undefined;
  after: Position | undefined;
  limit: number;
};

/** The next mails, the newest first, each with whether address or subject contain what is looked for. */
export function selectMailSlice(db: Db, { state, contains, after, limit }: MailSlice): Promise<Looked[]> {
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
    .$if(state !== undefined, (query) => query.where('state', '=', state!))
    .$if(after !== undefined, (query) =>
      query
        .where('createdAt', '<=', Number(after!.key))
        .where((eb) => eb.or([eb('createdAt', '<', Number(after!.key)), eb('id', '<', after!.id)])),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** In the order of the ids; what is gone is passed over. */
export async function selectMails(db: Db, ids: string[]): Promise<ShownMail[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('mails').select(SHOWN).where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** How many mails there are to exactly this address, as written or in lower case; counted up to `limit`. */
export async function countMailsTo(db: Db, email: string, limit: number): Promise<number> {
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

export function findMail(db: Db, id: string): Promise<ShownMail | undefined> {
  return db.selectFrom('mails').select(SHOWN).where('id', '=', id).executeTakeFirst();
}
