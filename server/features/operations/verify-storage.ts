import type { OperatorContext } from '../../context.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { areRemovalsHeld } from '../../platform/storage/removal-hold.ts';
import { markDamaged } from '../checksums/damage.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { checkStorage, type Finding } from './storage-check.ts';

export const verifyStorage: Command = {
  name: 'verify-storage',
  usage: '[--deep] [--repair] [--json]',
  summary: 'compare rows and stored bytes; --deep reads every file, --repair mends what can be mended',
  details: [
    '',
    'Rows without bytes, bytes without rows, wrong lengths; with --deep also bytes that are not those that were sent.',
    'Bytes without a row are only a finding when they are older than a day: younger ones may be on their way.',
    '--repair marks files without (right) bytes as damaged, so that they are offered to nobody, and removes old',
    'bytes without rows. It brings no bytes back. Exit code 3: something was found.',
  ].join('\n'),
  options: { deep: { type: 'boolean' }, repair: { type: 'boolean' } },
  async run(call) {
    if (call.args.length > 0) throw new UsageError('It takes no arguments.');
    const context = await call.open();
    const { blobs, files, findings } = await checkStorage(context, { deep: call.options.deep === true });
    const dayAgo = context.clock.now() - DAY_MS;
    const young = findings.filter((each) => each.kind === 'orphan' && each.modifiedAt > dayAgo);
    const wrong = findings.filter((each) => !young.includes(each));
    for (const each of wrong) call.say(describe(each));
    const repaired = call.options.repair === true ? await repair(context, wrong) : 0;
    const facts = { blobs, files, findings: wrong, youngOrphans: young.length, repaired };
    const found = wrong.length === 0 ? 'nothing is wrong' : `${wrong.length} findings, ${repaired} repaired`;
    call.report(facts, `${blobs} blobs looked at, ${files} files read: ${found}.`);
    return wrong.length === 0 ? EXIT.done : EXIT.found;
  },
};

async function repair(context: OperatorContext, findings: Finding[]): Promise<number> {
  let repaired = 0;
  for (const finding of findings) {
    if (finding.kind !== 'orphan') {
      const only = finding.kind === 'damaged' ? { fileId: finding.fileId } : {};
      repaired += (await markDamaged(context, { storageKey: finding.storageKey, ...only })) > 0 ? 1 : 0;
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
      return `Other bytes than were sent: file ${finding.fileId} in ${blob}`;
    case 'orphan':
      return `No row names: ${blob}`;
  }
}
