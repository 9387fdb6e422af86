import { reduceKeys } from '../../key-ring/key-ring.ts';
import { reduceDraftFiles } from '../encryption/draft-files.ts';
import { reduceRecords } from './resume-records.ts';

/** After signing out, no names and texts of transfers remain on the device. */
export async function reduceAll(): Promise<void> {
  await Promise.all([reduceRecords(), reduceKeys(), reduceDraftFiles()]);
}
