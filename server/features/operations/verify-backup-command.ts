import { resolve } from 'node:path';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { ScratchMap } from '../../platform/db/scratch-map.ts';
import { SECOND_MS, systemClock, toIso } from '../../platform/lib/clock.ts';
import {
  findVerification,
  getGeneration,
  listGenerations,
  lockForReading,
  MAX_LISTED,
  writeVerification,
} from './backup-generations.ts';
import { type Command, type CommandCall, EXIT, onlyArgument, RefusedError } from './command.ts';
import { type BackupProblem, describeProblem, verifyGeneration } from './verify-backup.ts';

const SAY_EVERY_MS = 5 * SECOND_MS;

export const verifyBackup: Command = {
  name: 'verify-backup',
  usage: '<folder> [--generation <name>] [--json]',
  summary: 'read a backup and compare everything in it with its digests',
  details: [
    '',
    'Verifies all generations, or the one that is named. Blobs that generations share are read once. Progress goes to',
    'standard error. The result is recorded in the folder, if that can be written to, and shown by list-backups.',
    'Exit code 3: something is missing or wrong; the message names the files.',
  ].join('\n'),
  options: { generation: { type: 'string' } },
  async run(call) {
    const folder = resolve(onlyArgument(call));
    const name = call.options.generation as string | undefined;
    const unlock = await lockForReading(folder);
    const seen = new ScratchMap();
    const found: BackupProblem[] = [];
    try {
      const { complete, unreadable } = await listGenerations(folder);
      const chosen = name === undefined ? complete.toReversed() : [await getGeneration(folder, name)];
      if (chosen.length + unreadable.length === 0)
        throw new RefusedError(`There is no complete backup in ${folder}.`);
      for (const file of unreadable) call.say(`${file} is damaged: that generation cannot be restored.`);
      let problems = unreadable.length;
      for (const manifest of chosen) {
        const own: BackupProblem[] = [];
        let isGood = true;
        const tally = await verifyGeneration(folder, manifest, {
          seen,
          onProblem: (problem) => {
            if (problem.fault !== 'recorded') isGood = false;
            if (own.length < MAX_LISTED) own.push(problem);
          },
          onProgress: sayProgress(call, `${manifest.name}: read`, manifest.files ?? undefined),
        });
        for (const problem of own) call.say(describeProblem(problem));
        found.push(...own);
        problems += tally.problems;
        const verification = { verifiedAt: toIso(systemClock.now()), isGood, problems: tally.problems };
        await writeVerification(folder, manifest.name, verification).catch((error: Error) =>
          call.say(`The result could not be recorded in the folder: ${error.message}`),
        );
      }
      const facts = {
        folder,
        generations: chosen.map(({ name: each }) => each),
        unreadable,
        problems,
        found,
      };
      const verdict = problems === 0 ? 'everything is right' : `${problems} problems`;
      call.report(facts, `${chosen.length} generations verified: ${verdict}.`);
      return problems === 0 ? EXIT.done : EXIT.found;
    } finally {
      seen.close();
      unlock();
    }
  },
};

/** Returns a function that prints at most one line every few seconds. */
export function sayProgress(
  { progress }: Pick<CommandCall, 'progress'>,
  verb: string,
  total: { blobs: number; blobBytes: number } | undefined,
): (done: { blobs: number; blobBytes: number }) => void {
  let saidAt = performance.now();
  return ({ blobs, blobBytes }) => {
    if (performance.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = performance.now();
    const of = total ? ` of ${total.blobs} blobs, ${formatSize(total.blobBytes)}` : ' blobs';
    progress(`${verb} ${blobs}${of} (${formatSize(blobBytes)} so far)`);
  };
}

export const listBackups: Command = {
  name: 'list-backups',
  usage: '<folder> [--json]',
  summary: 'list the generations of a backup with their time, size and last verification',
  async run(call) {
    const folder = resolve(onlyArgument(call));
    const { complete, unreadable } = await listGenerations(folder);
    const generations = await Promise.all(
      complete.map(async ({ name, startedAt, files, database, damage }) => {
        const verified = await findVerification(folder, name);
        return {
          name,
          startedAt,
          blobs: files?.blobs ?? null,
          blobBytes: files?.blobBytes ?? null,
          databaseBytes: database.sizeBytes,
          damagedFiles: damage.filter(({ isKept }) => !isKept).length,
          verifiedAt: verified?.verifiedAt ?? null,
          isGood: verified?.isGood ?? null,
        };
      }),
    );
    const lines = generations.map(
      ({ name, startedAt, blobs, blobBytes, databaseBytes, damagedFiles, verifiedAt, isGood }) =>
        [
          name,
          startedAt,
          blobBytes === null ? 'without files' : `${blobs} blobs, ${formatSize(blobBytes)}`,
          `database ${formatSize(databaseBytes)}`,
          ...(damagedFiles > 0 ? [`${damagedFiles} damaged files`] : []),
          verifiedAt === null ? 'not verified' : `${isGood ? 'verified' : 'found damaged'} ${verifiedAt}`,
        ].join('  '),
    );
    for (const file of unreadable) call.say(`${file} is damaged: that generation cannot be restored.`);
    call.report(
      { folder, generations, unreadable },
      lines.length === 0 ? `There is no complete backup in ${folder}.` : lines.join('\n'),
    );
    return unreadable.length > 0 ? EXIT.found : EXIT.done;
  },
};
