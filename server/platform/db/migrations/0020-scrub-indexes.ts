import { type SchemaModule, sql } from 'kysely';

/**
 * The scrub walks all files by the first index. The others contain only suspected and damaged files, so that finding
 * those is cheap however many files there are.
 */
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
