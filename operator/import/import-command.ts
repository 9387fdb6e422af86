import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Option } from 'commander';
import { CommandError, EXIT, type ExitCode, usageError } from '../../command-line/exit-codes.ts';
import { TIERS } from '../../contracts/plans/tiers.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { OperatorContext } from '../../server/context.ts';
import { findPerson } from '../../server/features/accounts/index.ts';
import { findImport, type ImportRow, insertOrFindImport } from '../../server/features/imports/index.ts';
import { findReservedDiskSpace } from '../../server/features/uploads/index.ts';
import type { Tier } from '../../server/platform/db/schema/column-types.ts';
import { randomId } from '../../server/platform/lib/tokens.ts';
import { reserveOf } from '../../server/platform/storage/disk/disk-space.ts';
import type { Command, CommandCall } from '../command.ts';
import { ImportReport } from './report.ts';
import { type ImportOrder, ImportRun } from './run-import.ts';
import type { OpenSource, Product, Source } from './source.ts';
import { openGokapi } from './sources/gokapi.ts';
import { openPalmr } from './sources/palmr.ts';
import { openPingvin } from './sources/pingvin.ts';
import { openProjectSend } from './sources/projectsend.ts';
import { undo } from './undo.ts';

const SOURCES: Record<Product, OpenSource> = {
  pingvin: openPingvin,
  palmr: openPalmr,
  gokapi: openGokapi,
  projectsend: openProjectSend,
};
const PRODUCTS = Object.keys(SOURCES) as Product[];
const UNDO = 'undo';

type Options = {
  from?: string;
  files?: string;
  name?: string;
  owner?: string;
  tier: Tier;
  keepAdmins?: true;
  emailDomain?: string;
  dryRun?: true;
  yes?: true;
};
type Call = CommandCall<[Product | typeof UNDO], Options>;

export const importCommand: Command = {
  name: 'import',
  summary: 'Import users and shares from another product, or undo that',
  arguments: [new Argument('<product>', `${PRODUCTS.join(', ')}, or ${UNDO}`).choices([...PRODUCTS, UNDO])],
  details: [
    'Reads a copy of the other product’s data folder and never writes to it. Users keep their passwords, shares keep ' +
      'their passwords, expiry dates, download limits and old addresses. Nobody is mailed. First run it with --dry-run: ' +
      'it reports what would be imported, what cannot be kept, and why. See docs/self-hosting/import.md.',
    'The server may run meanwhile. You can stop the command at any time and run it again: it continues, and later imports ' +
      'only what is new.',
    `import ${UNDO} deletes what an import created and nobody has used since.`,
    'Exit code 3 means that something was left out: the output says what.',
  ],
  options: [
    new Option('--from <folder>', 'The data folder of the other product'),
    new Option('--files <folder>', 'A copy of the bucket, if the other product keeps its files in one'),
    new Option(
      '--name <name>',
      'Name of this import, if there are several of one product (default: the product)',
    ),
    new Option('--owner <user>', 'Username or address of the account here that gets the shares nobody owns'),
    new Option('--tier <plan>', 'Plan of the new accounts').choices([...TIERS]).default('free'),
    new Option('--keep-admins', 'Make the other product’s administrators administrators here'),
    new Option('--email-domain <domain>', 'Domain of the addresses of users who have none, as in Gokapi'),
    new Option('--dry-run', 'Only report what would be imported'),
    new Option('--yes', `Undo without asking`),
  ],
  async run(call: Call) {
    const [product] = call.args;
    const context = await call.open();
    if (product === UNDO) return undo(call, context);
    const { from } = call.options;
    if (from === undefined) throw usageError('Add --from with the data folder of the other product.');
    for (const folder of [from, call.options.files]) if (folder !== undefined) await requireFolder(folder);
    const scratch = await mkdtemp(join(tmpdir(), 'sendwell-import-'));
    try {
      const source = await SOURCES[product]({ from, files: call.options.files, scratch });
      try {
        return await importFrom(call, context, { source, product });
      } finally {
        source.close();
      }
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
};

async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new CommandError(EXIT.failed, `${folder} is not a folder.`);
}

async function importFrom(
  call: Call,
  context: OperatorContext,
  { source, product }: { source: Source; product: Product },
): Promise<ExitCode> {
  const { options, say, progress } = call;
  const name = options.name ?? product;
  const isDryRun = options.dryRun === true;
  const record = requireSameSource(await findImport(context.db, name), { name, product, source });
  const order: Omit<ImportOrder, 'report' | 'record' | 'accounts'> = {
    context,
    source,
    tier: options.tier,
    heir: await findHeir(context, options.owner),
    progress,
  };
  const accounts = {
    product,
    keepsAdmins: options.keepAdmins === true,
    emailDomain: options.emailDomain,
  };
  for (const notice of source.notices) say(notice);
  const rehearsal = new ImportReport(isDryRun ? say : () => {});
  const rehearse = { ...order, record, accounts: { ...accounts, isRehearsal: true }, report: rehearsal };
  await new ImportRun({ ...rehearse, progress: isDryRun ? progress : () => {} }).run();
  const space = await measureSpace(context);
  const neededBytes = rehearsal.counts.bytes;
  if (!isDryRun && space && space.availableBytes < neededBytes)
    throw new CommandError(EXIT.failed, `Nothing was imported: ${describeSpace(neededBytes, space)}`);
  const report = isDryRun ? rehearsal : new ImportReport(say);
  if (!isDryRun) {
    const row = {
      id: randomId(),
      name,
      product,
      fingerprint: source.fingerprint,
      createdAt: context.clock.now(),
    };
    const opened = requireSameSource(await insertOrFindImport(context.db, row), { name, product, source });
    const live = { ...order, record: opened, accounts: { ...accounts, isRehearsal: false }, report };
    await new ImportRun(live).run();
  }
  const notKept = source.listNotKept().filter(({ count }) => count > 0);
  const lines = [
    ...report.describe({ isRehearsal: isDryRun, notKept }),
    ...(isDryRun
      ? [
          describeSpace(neededBytes, space),
          'Nothing was changed. Run the command without --dry-run to import.',
        ]
      : []),
  ];
  const facts = { product, name, isDryRun, ...report.toFacts(), notKept, neededBytes };
  call.report({ ...facts, availableBytes: space?.availableBytes ?? null }, lines.join('\n'));
  return report.hasProblems ? EXIT.found : EXIT.ok;
}

type Opened = { name: string; product: Product; source: Source };

/** Throws CommandError if something else was imported under this name. */
function requireSameSource<Row extends ImportRow | undefined>(
  record: Row,
  { name, product, source: { fingerprint } }: Opened,
): Row {
  const isOther =
    record !== undefined &&
    (record.product !== product ||
      (record.fingerprint !== null && fingerprint !== null && record.fingerprint !== fingerprint));
  if (!isOther) return record;
  throw new CommandError(
    EXIT.failed,
    `Another installation was imported under the name ${name}. Choose a name for this one with --name.`,
  );
}

async function findHeir(context: OperatorContext, owner: string | undefined): Promise<string | undefined> {
  if (owner === undefined) return undefined;
  const user = await findPerson(context, owner);
  if (!user) throw new CommandError(EXIT.failed, `There is no user ${owner}.`);
  return user.id;
}

type Space = { availableBytes: number };

/** Undefined for a bucket. Leaves what the server keeps free, and what running uploads will need. */
async function measureSpace(context: OperatorContext): Promise<Space | undefined> {
  const space = await context.blobs.freeSpace();
  if (!space) return undefined;
  const reserved = (await findReservedDiskSpace(context)) ?? 0;
  const availableBytes = space.freeBytes - reserveOf(space.totalBytes) - reserved;
  return { availableBytes: Math.max(0, Math.floor(availableBytes)) };
}

function describeSpace(neededBytes: number, space: Space | undefined): string {
  const needed = `The files need ${formatSize(neededBytes)}`;
  if (!space) return `${needed} in the bucket.`;
  const isEnough = space.availableBytes >= neededBytes;
  return `${needed} of disk space, and ${formatSize(space.availableBytes)} are available${isEnough ? '' : ', which is not enough'}.`;
}
