import { CommandError, EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { isYes } from '../../command-line/prompts.ts';
import type { OperatorContext } from '../../server/context.ts';
import {
  findImport,
  type ImportRow,
  type Kept,
  listImports,
  undoImport,
} from '../../server/features/imports/index.ts';
import type { CommandCall } from '../command.ts';

const MAX_LISTED = 1_000;

type Call = CommandCall<unknown[], { name?: string; yes?: true; dryRun?: true }>;

export async function undo(call: Call, context: OperatorContext): Promise<ExitCode> {
  if (call.options.dryRun) throw new CommandError(EXIT.usage, 'import undo has no --dry-run.');
  const record = await findRecord(context, call.options.name);
  await confirm(call, record);
  const kept: Kept[] = [];
  const tally = await undoImport(context, record, (each) => {
    if (kept.length < MAX_LISTED) kept.push(each);
    call.say(`Kept: ${each.kind} ${each.name} (${each.id}): ${each.reason}.`);
  });
  const { transfers, users, keptTransfers, keptUsers } = tally;
  call.report(
    { name: record.name, ...tally, kept },
    `Deleted ${transfers} transfers and ${users} users of the import ${record.name}; the server removes their files ` +
      `within minutes. Kept ${keptTransfers} transfers and ${keptUsers} users, which were used since.`,
  );
  return keptTransfers + keptUsers > 0 ? EXIT.found : EXIT.ok;
}

async function findRecord(context: OperatorContext, name: string | undefined): Promise<ImportRow> {
  if (name !== undefined) {
    const found = await findImport(context.db, name);
    if (found) return found;
  }
  const all = await listImports(context.db);
  const names = all.map((each) => each.name).join(', ');
  if (name === undefined && all.length === 1) return all[0]!;
  if (all.length === 0) throw new CommandError(EXIT.failed, 'Nothing was imported.');
  throw new CommandError(
    EXIT.failed,
    name === undefined
      ? `Choose one of the imports with --name: ${names}.`
      : `There is no import ${name}. There is ${names}.`,
  );
}

/** Throws CommandError if the answer is no or there is no terminal. */
async function confirm({ options, ask }: Call, { name }: ImportRow): Promise<void> {
  if (options.yes) return;
  const answer = await ask(`Delete what the import ${name} created and nobody has used since? (yes/no) `);
  if (answer === undefined)
    throw new CommandError(EXIT.failed, 'Nothing was changed. To undo the import, add --yes.');
  if (!isYes(answer)) throw new CommandError(EXIT.failed, 'Nothing was changed.');
}
