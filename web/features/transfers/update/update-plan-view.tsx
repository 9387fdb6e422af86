import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronRight, CircleCheck } from 'lucide-react';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { type Change, isEmptyPlan, type UpdatePlan } from './update-plan.ts';

const SHOWN_CHANGES = 500;

type PlanViewProps = { plan: UpdatePlan; onPublish: () => void; onStartOver: () => void };

/** What would change, before it does. */
export function PlanView({ plan, onPublish, onStartOver }: PlanViewProps) {
  if (isEmptyPlan(plan)) return <NothingChanged onStartOver={onStartOver} />;
  const { changes, bytes } = plan;
  return (
    <>
      <ul aria-label={t`Changes`} className="tabular flex flex-wrap gap-x-8 gap-y-1 font-heading text-xl">
        {describeCounts(plan).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <p className="mt-2 text-ink-soft">
        {bytes > 0 ? t`${formatSize(bytes)} to send` : t`Nothing needs to be sent.`}
      </p>
      <details className="group mt-5 text-sm">
        <summary className="flex w-fit list-none items-center gap-2 rounded-xs py-1 pr-2 text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden="true"
            className="-ml-0.5 size-5 shrink-0 transition-[rotate] duration-(--brisk) group-open:rotate-90"
          />
          <Trans>Show the files</Trans>
        </summary>
        <ul className="mt-2 max-h-72 divide-y divide-line overflow-y-auto border-y border-line">
          {changes.slice(0, SHOWN_CHANGES).map((change) => (
            <ChangeRow key={`${change.kind} ${change.relativePath}`} change={change} />
          ))}
        </ul>
        {changes.length > SHOWN_CHANGES && (
          <p className="mt-2 text-ink-faint">
            <Trans>And {formatCount(changes.length - SHOWN_CHANGES)} more</Trans>
          </p>
        )}
      </details>
      <DialogFooter>
        <Button variant="secondary" onClick={onStartOver}>
          <Trans>Choose other files</Trans>
        </Button>
        <Button onClick={onPublish}>
          <Trans>Publish update</Trans>
        </Button>
      </DialogFooter>
    </>
  );
}

function NothingChanged({ onStartOver }: Pick<PlanViewProps, 'onStartOver'>) {
  return (
    <>
      <p role="status" className="flex gap-3">
        <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-accent-ink" />
        <Trans>Nothing has changed. The transfer already contains exactly these files.</Trans>
      </p>
      <DialogFooter>
        <Button variant="secondary" onClick={onStartOver}>
          <Trans>Choose other files</Trans>
        </Button>
      </DialogFooter>
    </>
  );
}

function ChangeRow({ change: { kind, relativePath, from } }: { change: Change }) {
  return (
    <li className="flex gap-4 py-2">
      <span className="w-20 shrink-0 text-ink-faint">{nameOfKind(kind)}</span>
      <span className="min-w-0 wrap-anywhere">
        <bdi>{relativePath}</bdi>
        {from !== undefined && (
          <span className="block text-ink-faint">
            <Trans>
              before: <bdi>{from}</bdi>
            </Trans>
          </span>
        )}
      </span>
    </li>
  );
}

function nameOfKind(kind: Change['kind']): string {
  if (kind === 'changed') return t`Changed`;
  if (kind === 'added') return t`New`;
  return kind === 'moved' ? t`Renamed` : t`Removed`;
}

function describeCounts({ changes, unchanged }: UpdatePlan): string[] {
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length;
  const [changed, added, moved, removed] = [
    count('changed'),
    count('added'),
    count('moved'),
    count('removed'),
  ];
  return [
    ...(changed > 0 ? [plural(changed, { one: '# changed', other: '# changed' })] : []),
    ...(added > 0 ? [plural(added, { one: '# new', other: '# new' })] : []),
    ...(moved > 0 ? [plural(moved, { one: '# renamed', other: '# renamed' })] : []),
    ...(removed > 0 ? [plural(removed, { one: '# removed', other: '# removed' })] : []),
    ...(unchanged > 0 ? [plural(unchanged, { one: '# unchanged', other: '# unchanged' })] : []),
  ];
}
