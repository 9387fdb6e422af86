import type { OperatorContext } from '../../context.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { areRemovalsHeld } from '../../platform/storage/installation/removal-hold.ts';
import { findOrphanLimit, isQuarantined, SweepTally, sweepTrash } from '../uploads/index.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { checkStorage, type Finding, recordFinding } from './storage-check.ts';

export const verifyStorage: Command = {
  name: 'verify-storage',
  usage: '[--deep] [--repair] [--json]',
  summary:
    'compare rows and stored bytes; --deep reads every file, --repair records damage and removes orphans',
  details: [
    '',
    'Rows without bytes, bytes without rows, wrong lengths; with --deep also bytes that are not those that were sent.',
    'Bytes without a row are only a finding when they are older than a day: younger ones may be on their way.',
    'Files that are marked as damaged are listed in every run until they are healed: put the right bytes back, or have',
    'the owner send the file again. --deep reads them again and offers those that are right again.',
    '--repair restores blobs from the trash that a row names, marks files without (right) bytes as suspected, and moves',
    'old bytes without rows into the trash: not in the first days after a restore, not while the clock is not trusted,',
    'and not when they are too many (then: confirm-sweep). A suspected file is marked as damaged, and offered to nobody,',
    'when a second reading at least ten minutes later finds the same: that of the running server, or of --repair run',
    'again. Exit code 3: something was found.',
  ].join('\n'),
  options: { deep: { type: 'boolean' }, repair: { type: 'boolean' } },
  async run(call) {
    if (call.args.length > 0) throw new UsageError('It takes no arguments.');
    const context = await call.open();
    const isRepair = call.options.repair === true;
    const restored = isRepair ? await sweepTrash(context, { now: undefined, tally: new SweepTally() }) : 0;
    if (restored > 0) call.say(`Restored from the trash: ${restored} blobs`);
    const { blobs, files, findings, healed } = await checkStorage(context, {
      deep: call.options.deep === true,
    });
    const dayAgo = context.clock.now() - DAY_MS;
    const young = findings.filter((each) => each.kind === 'orphan' && each.modifiedAt > dayAgo);
    const wrong = findings.filter((each) => !young.includes(each));
    for (const each of wrong) call.say(describe(each));
    const repaired = isRepair ? await repair(call, context, { blobs, wrong }) : 0;
    const facts = { blobs, files, findings: wrong, youngOrphans: young.length, repaired, restored, healed };
    const found = wrong.length === 0 ? 'nothing is wrong' : `${wrong.length} findings, ${repaired} repaired`;
    const again = healed === 0 ? '' : ` ${healed} damaged files are right again.`;
    call.report(facts, `${blobs} blobs looked at, ${files} files read: ${found}.${again}`);
    return wrong.length === 0 ? EXIT.done : EXIT.found;
  },
};

async function repair(
  call: Pick<CommandCall, 'say'>,
  context: OperatorContext,
  { blobs, wrong }: { blobs: number; wrong: Finding[] },
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
        ? 'this storage has only just been put into use (see sweep-status)'
        : orphans.length > findOrphanLimit(blobs + orphans.length)
          ? `${orphans.length} are too many (is this the right database?); once the server's sweep has counted them: confirm-sweep`
          : undefined;
  if (refusal) {
    call.say(`Blobs without a row stay where they are: ${refusal}.`);
    return repaired;
  }
  for (const blob of orphans) {
    if (await areRemovalsHeld(context)) break;
    await context.blobs.moveToTrash(blob, now);
    repaired += 1;
  }
  return repaired;
}

function describe(finding: Finding): string {
  const blob = `${finding.storageKey} (${finding.sizeBytes} bytes)`;
  switch (finding.kind) {
    case 'missing':
      return `Missing: ${blob}`;
    case 'short':
      return `Too short: ${blob}`;
    case 'damaged':
      return finding.isKnown
        ? `Marked as damaged: file ${finding.fileId} in ${blob}`
        : `Other bytes than were sent: file ${finding.fileId} in ${blob}`;
    case 'orphan':
      return `No row names: ${blob}`;
  }
}
