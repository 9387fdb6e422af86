import type { Context } from '../../context.ts';
import { updateDamaged } from './queries.ts';

/**
 * Notes that the bytes of a blob's files, or of one of them, are missing or wrong: they are served no more.
 * Returns how many files that concerns.
 */
export function markDamaged(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  files: { storageKey: string; fileId?: string },
): Promise<number> {
  return updateDamaged(db, files, clock.now());
}
