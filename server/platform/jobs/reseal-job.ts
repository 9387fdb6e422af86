import type { Kysely } from 'kysely';
import { z } from 'zod';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Db } from '../db/open.ts';
import type { Database } from '../db/schema.ts';
import type { Secrets } from '../http/security/signed-value.ts';
import type { Log } from '../lib/logging/log.ts';
import { openSealedText, sealText } from '../lib/sealed-text.ts';
import { defineJob } from './define-job.ts';

export type SealedColumn = {
  table: keyof Database;
  /** A unique text column. */
  key: string;
  /** Sealed with `sealText`, or null. */
  column: string;
  purpose: string;
};

type Context = Secrets & { db: Db; log: Log };

/**
 * A job that reseals columns after SESSION_SECRET was replaced, so that the operator can remove the previous one. Every
 * column that `sealText` writes needs one. Does nothing unless the previous secret is configured.
 */
export function defineResealJob(name: string, columns: SealedColumn[]) {
  return defineJob<Context, object>({
    name,
    payload: z.object({}),
    every: HOUR_MS,
    async run(context, _payload, { signal }) {
      for (const column of columns) {
        const values = await resealColumn(context, column, signal);
        if (values > 0)
          context.log.info({ table: column.table, values }, 'Resealed secrets with the new SESSION_SECRET.');
      }
    },
  });
}

const ROWS_PER_BATCH = 200;

/** Skips values that change meanwhile. Returns the number of values changed. */
async function resealColumn(
  { db, secret, previousSecret }: Secrets & { db: Db },
  { table, key, column, purpose }: SealedColumn,
  signal: AbortSignal,
): Promise<number> {
  if (previousSecret === undefined) return 0;
  // Kysely cannot type tables and columns that are parameters.
  const rowsOf = db as unknown as Kysely<Record<string, { key: string; sealed: string | null }>>;
  const refs = { key: key as 'key', sealed: column as 'sealed' };
  let changed = 0;
  for (let after = ''; !signal.aborted; ) {
    const rows = await rowsOf
      .selectFrom(table)
      .select([`${refs.key} as key`, `${refs.sealed} as sealed`])
      .where(refs.key, '>', after)
      .orderBy(refs.key)
      .limit(ROWS_PER_BATCH)
      .execute();
    for (const row of rows) {
      if (row.sealed === null || openSealedText({ secret, purpose }, row.sealed) !== undefined) continue;
      const text = openSealedText({ secret: previousSecret, purpose }, row.sealed);
      if (text === undefined) continue;
      const { numUpdatedRows } = await rowsOf
        .updateTable(table)
        .set({ [refs.sealed]: sealText({ secret, purpose }, text) })
        .where(refs.key, '=', row.key)
        .where(refs.sealed, '=', row.sealed)
        .executeTakeFirstOrThrow();
      changed += Number(numUpdatedRows);
    }
    if (rows.length < ROWS_PER_BATCH) break;
    after = rows.at(-1)!.key;
  }
  return changed;
}
