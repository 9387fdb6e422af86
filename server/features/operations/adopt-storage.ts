import type { Config } from '../../config.ts';
import { blobNames, openExistingDatabase } from '../../create-context.ts';
import { systemClock } from '../../platform/lib/clock.ts';
import { adoptStorages, describeMismatch } from '../../platform/storage/installation/installation.ts';
import { closeStorages, openStorages } from '../../platform/storage/open.ts';
import { type Command, type CommandCall, EXIT, RefusedError, UsageError } from './command.ts';

export const adoptStorage: Command = {
  name: 'adopt-storage',
  usage: '[--yes] [--json]',
  summary: 'make the configured storage this database’s when a server refuses to start on it',
  details: [
    '',
    'Database and storage carry the same installation id, and a server refuses to start if they differ: the wrong',
    'database would take all files for leftovers. Use this command when you are sure that they belong together, for',
    'example after you copied the files to a new bucket. Both get a new id. A server that still uses the storage',
    'with another database stops accepting uploads. Files without a row stay untouched for three days, so look at',
    'the result right away: verify-storage lists what is missing.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  async run(call) {
    if (call.args.length > 0) throw new UsageError('It takes options only.');
    const db = await openExistingDatabase(call.config);
    try {
      const storages = await openStorages(call.config, db);
      try {
        const parts = { db, clock: systemClock, names: blobNames(db) };
        const { sentence, evidence } = await describeMismatch(parts, storages);
        if (sentence === undefined) {
          call.report({ adopted: false }, 'Nothing to adopt: a server starts on this database and storage.');
          return EXIT.done;
        }
        call.say(sentence);
        if (evidence.named > 0)
          call.say(`Of ${evidence.named} files that the database names, ${evidence.found} were found there.`);
        await confirm(call);
        const id = await adoptStorages(parts, storages);
        call.report(
          { adopted: true, installationId: id, ...evidence },
          `${describe(call.config)} belongs to this database now. Start the server, then run verify-storage.`,
        );
        return EXIT.done;
      } finally {
        await closeStorages(storages);
      }
    } finally {
      await db.destroy();
    }
  },
};

async function confirm({ options, config, ask }: CommandCall): Promise<void> {
  if (options.yes === true) return;
  const answer = await ask(`Adopt ${describe(config)} for this database? (yes/no) `);
  if (answer === undefined) throw new RefusedError('Nothing was changed. To adopt the storage, add --yes.');
  if (!/^y(es)?$/i.test(answer)) throw new RefusedError('Nothing was changed.');
}

function describe({ s3, dataDir }: Config): string {
  return s3 ? `The bucket ${s3.bucket}, prefix ${s3.prefix},` : `The storage in ${dataDir}/blobs`;
}
