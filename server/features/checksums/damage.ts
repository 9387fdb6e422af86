import type { Context } from '../../context.ts';
import { countDamaged } from './queries.ts';

/** How many stored files are damaged. Costs what they are, however many files there are. */
export function countDamagedFiles({ db }: Pick<Context, 'db'>): Promise<number> {
  return countDamaged(db);
}
