import { Option } from 'commander';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { isYes } from '../../command-line/prompts.ts';
import type { Config } from '../../server/config.ts';
import { blobNames, openExistingDatabase } from '../../server/create-context.ts';
import { systemClock } from '../../server/platform/lib/clock.ts';
import { adoptStorages, describeMismatch } from '../../server/platform/storage/installation/installation.ts';
import { closeStorages, openStorages } from '../../server/platform/storage/open.ts';
import type { Command, CommandCall } from '../command.ts';

type Call = CommandCall<[], { yes?: true }>;

export const adoptStorage: Command = {
  name: 'adopt-storage',
  summary: 'Pair the database with the configured storage if a server refuses to start on them',
  details: [
    'Database and storage have the same installation id. A server refuses to start if the ids differ, because with ' +
      'the wrong database it would delete all files as leftovers. Use this command if you are sure that the two ' +
      'belong together, for example after you have copied the files to a new bucket.',
    'Both get a new id. A server that still uses the storage with another database stops accepting uploads. Files ' +
      'without a row stay untouched for three days, so check the result right away with verify-storage.',
  ],
  options: [new Option('--yes', 'Do not ask for confirmation')],
  async run(call: Call) {
    const db = await openExistingDatabase(call.config);
    try {
      const storages = await openStorages(call.config, db);
      try {
        const parts = { db, clock: systemClock, names: blobNames(db) };
        const { sentence, evidence } = await describeMismatch(parts, storages);
        if (sentence === undefined) {
          call.report(
            { adopted: false },
            'Nothing to adopt: this database and storage already belong together.',
          );
          return EXIT.ok;
        }
        call.say(sentence);
        if (evidence.named > 0)
          call.say(`The storage has ${evidence.found} of ${evidence.named} files that the database names.`);
        await confirm(call);
        const id = await adoptStorages(parts, storages);
        call.report(
          { adopted: true, installationId: id, ...evidence },
          `${describeStorage(call.config)} now belongs to this database. Start the server, then run verify-storage.`,
        );
        return EXIT.ok;
      } finally {
        await closeStorages(storages);
      }
    } finally {
      await db.destroy();
    }
  },
};

/** Throws CommandError if the answer is no or there is no terminal. */
async function confirm({ options, config, ask }: Call): Promise<void> {
  if (options.yes) return;
  const answer = await ask(`Adopt ${describeStorage(config)} for this database? (yes/no) `);
  if (answer === undefined)
    throw new CommandError(EXIT.failed, 'Nothing was changed. To adopt the storage, add --yes.');
  if (!isYes(answer)) throw new CommandError(EXIT.failed, 'Nothing was changed.');
}

function describeStorage({ s3, dataDir }: Config): string {
  return s3 ? `The bucket ${s3.bucket} with the prefix ${s3.prefix}` : `The storage in ${dataDir}/blobs`;
}
