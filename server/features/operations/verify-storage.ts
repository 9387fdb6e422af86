import type { OperatorContext } from '../../context.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { areRemovalsHeld } from '../../platform/storage/removal-hold.ts';
import { type Command, EXIT, UsageError } from './command.ts';
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
    '--repair marks files without (right) bytes as suspected and removes old bytes without rows. A suspected file is',
    'marked as damaged, and offered to nobody, when a second reading at least ten minutes later finds the same: that of',
    'the running server, or of --repair run again. It brings no bytes back. Exit code 3: something was found.',
  ].join('\n'),
  options: { deep: { type: 'boolean' }, repair: { type: 'boolean' } },
  async run(call) {
    if (call.args.length > 0) throw new UsageError('It takes no arguments.');
    const context = await call.open();
    const { blobs, files, findings, healed } = await checkStorage(context, {
      deep: call.options.deep === true,
    });
    const dayAgo = context.clock.now() - DAY_MS;
    const young = findings.filter((each) => each.kind === 'orphan' && each.modifiedAt > dayAgo);
    const wrong = findings.filter((each) => !young.includes(each));
    for (const each of wrong) call.say(describe(each));
    const repaired = call.options.repair === true ? await repair(context, wrong) : 0;
    const facts = { blobs, files, findings: wrong, youngOrphans: young.length, repaired, healed };
    const found = wrong.length === 0 ? 'nothing is wrong' : `${wrong.length} findings, ${repaired} repaired`;
    const again = healed === 0 ? '' : ` ${healed} damaged files are right again.`;
    call.report(facts, `${blobs} blobs looked at, ${files} files read: ${found}.${again}`);
    return wrong.length === 0 ? EXIT.done : EXIT.found;
  },
};

async function repair(context: OperatorContext, findings: Finding[]): Promise<number> {
  let repaired = 0;
  for (const finding of findings) {
    if (finding.kind !== 'orphan') {
      if (finding.kind === 'damaged' && finding.isKnown) continue;
      repaired += (await recordFinding(context, finding)) > 0 ? 1 : 0;
    } else if (!(await areRemovalsHeld(context))) {
      await context.blobs.remove(finding.storageKey);
      repaired += 1;
    }
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
