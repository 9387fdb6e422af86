import { type SchemaModule, sql } from 'kysely';

/** The first index is for the walk over all files; the others contain only suspected and damaged files. */
export function indexes(schema: SchemaModule) {
  const index = (name: string, ...columns: string[]) =>
    schema.createIndex(`files_${name}`).on('files').columns(columns);
  return [
    index('verifyAt', 'verifyAt'),
    index('suspected', 'verifyAt').where(sql.ref('suspectedAt'), 'is not', null),
    index('damagedDue', 'verifyAt').where(sql.ref('damagedAt'), 'is not', null),
    index('damaged', 'damagedAt', 'id').where(sql.ref('damagedAt'), 'is not', null),
    index('damageUntold', 'transferId', 'damagedAt')
      .where(sql.ref('damagedAt'), 'is not', null)
      .where(sql.ref('damageToldAt'), 'is', null),
  ];
}
