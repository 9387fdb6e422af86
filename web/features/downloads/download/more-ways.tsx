import { t } from '@lingui/core/macro';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { lateModule } from '../../../lib/loading/late-module.ts';
import type { WaysProps } from './ways.tsx';

const useWays = lateModule(() => import('./ways.tsx'), { isLikely: true });

/** What few people need, behind one line. */
export function MoreWays(props: Omit<WaysProps, 'isOpen' | 'onRunning'>) {
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const loaded = useWays(isOpen);
  if (!props.target && !isRunning) return null;
  return (
    <details
      className="group text-sm text-ink-faint"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex w-fit list-none items-start gap-2 rounded-xs py-1 pr-2 transition-colors duration-(--quick) hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="mt-px -ml-0.5 size-5 shrink-0 transition-[rotate] duration-(--brisk) group-open:rotate-90"
        />
        <span>{t`More ways to download`}</span>
      </summary>
      <div className="mt-3 mb-2">
        {loaded && <loaded.Ways {...props} isOpen={isOpen} onRunning={setRunning} />}
      </div>
    </details>
  );
}
