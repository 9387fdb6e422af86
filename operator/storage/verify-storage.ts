import { Option } from 'commander';
import { EXIT } from '../../command-line/exit-codes.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { OperatorContext } from '../../server/context.ts';
import {
  findOrphanLimit,
  isQuarantined,
  SweepTally,
  sweepTrash,
} from '../../server/features/uploads/index.ts';
import { hasRemovalHold } from '../../server/platform/storage/installation/removal-hold.ts';
import type { Command, CommandCall } from '../command.ts';
import { checkStorage, type Finding, recordFinding } from './check-storage.ts';

export const verifyStorage: Command = {
  name: 'verify-storage',
  summary: 'Compare the database with the stored bytes',
  details: [
    'Finds rows without bytes, bytes without rows and wrong lengths; with --deep, also bytes that differ from those ' +
      'that were uploaded. Bytes without a row count only if they are older than a day: newer ones may belong to a ' +
      'running upload.',
    'Files marked as damaged are listed in every run until they are healed: put the right bytes back, or have the ' +
      'owner upload the file again. --deep reads these files again and heals those whose bytes are right.',
    '--repair restores blobs from the trash if a row names them, marks files without the right bytes as suspected, ' +
      'and moves old bytes without rows to the trash. It does not move them in the first days after a restore, while ' +
      'the clock is not trusted, or if they are too many (see confirm-sweep). If a second check at least ten minutes ' +
      'later finds the same, a suspected file is marked as damaged and no longer served. The running server makes ' +
      'that check, or a second run with --repair.',
    'Exit code 3 means that problems were found.',
  ],
  options: [
    new Option('--deep', 'Read every file'),
    new Option('--repair', 'Record damage, and move bytes without rows to the trash'),
  ],
  async run(call: CommandCall<[], { deep?: true; repair?: true }>) {
    const { deep = false, repair: isRepair = false } = call.options;
    const context = await call.open();
    const restored = isRepair ? await sweepTrash(context, { now: undefined, tally: new SweepTally() }) : 0;
    if (restored > 0) call.say(`Restored from the trash: ${restored} blobs`);
    const { blobs, files, findings, healed } = await checkStorage(context, { deep });
    const dayAgo = context.clock.now() - DAY_MS;
    const isYoung = (each: Finding) => each.kind === 'orphan' && each.modifiedAt > dayAgo;
    const wrong = findings.filter((each) => !isYoung(each));
    const youngOrphans = findings.length - wrong.length;
    for (const each of wrong) call.say(describeFinding(each));
    const repaired = isRepair ? await repair(call, context, { blobs, wrong }) : 0;
    const facts = { blobs, files, findings: wrong, youngOrphans, repaired, restored, healed };
    const result = wrong.length === 0 ? 'no problems' : `${wrong.length} findings, ${repaired} repaired`;
    const healedFiles = healed === 0 ? '' : ` ${healed} damaged files are right again.`;
    call.report(facts, `${blobs} blobs checked, ${files} files read: ${result}.${healedFiles}`);
    return wrong.length === 0 ? EXIT.ok : EXIT.found;
  },
};

type Found = { blobs: number; wrong: Finding[] };

/** Returns the number of repaired findings. */
async function repair(
  call: Pick<CommandCall, 'say'>,
  context: OperatorContext,
  { blobs, wrong }: Found,
): Promise<number> {
  let repaired = 0;
  for (const finding of wrong) {
    if (finding.kind === 'orphan' || (finding.kind === 'damaged' && finding.isKnown)) continue;
    repaired += (await recordFinding(context, finding)) > 0 ? 1 : 0;
  }
  const orphans = wrong.filter((each) => each.kind === 'orphan');
  if (orphans.length === 0) return repaired;
  const { now, stop, skewMs } = await context.clockGuard.check();
  const refusal =
    stop || skewMs !== undefined
      ? 'the clock is not trusted (see sweep-status)'
      : (await isQuarantined(context, now))
        ? 'this storage is new to this database (see sweep-status)'
        : orphans.length > findOrphanLimit(blobs + orphans.length)
          ? `${orphans.length} are too many. Is this the right database? If it is, run confirm-sweep once the server's sweep has counted them`
          : undefined;
  if (refusal) {
    call.say(`Blobs without a row were not moved: ${refusal}.`);
    return repaired;
  }
  for (const blob of orphans) {
    if (await hasRemovalHold(context)) break;
    await context.blobs.moveToTrash(blob, now);
    repaired += 1;
  }
  return repaired;
}

function describeFinding(finding: Finding): string {
  const blob = `${finding.storageKey} (${finding.sizeBytes} bytes)`;
  switch (finding.kind) {
    case 'missing':
      return `Missing: ${blob}`;
    case 'short':
      return `Too short: ${blob}`;
    case 'damaged':
      return finding.isKnown
        ? `Marked as damaged: file ${finding.fileId} in ${blob}`
        : `Wrong bytes: file ${finding.fileId} in ${blob}`;
    case 'orphan':
      return `Without a row: ${blob}`;
  }
}
