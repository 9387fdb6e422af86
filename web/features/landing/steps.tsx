import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { FallingDrop, SpreadingRings, TouchingDrop } from './step-drawings.tsx';

type Step = { title: string; text: string; drawing: ReactNode };

const STEPS: Step[] = [
  {
    title: t`Upload`,
    text: t`Drag and drop, or browse. Add as many files and folders as you like.`,
    drawing: <FallingDrop />,
  },
  {
    title: t`Share`,
    text: t`Enter your recipients’ emails, set an expiry, get a link.`,
    drawing: <TouchingDrop />,
  },
  {
    title: t`Download`,
    text: t`Recipients get an email and download in one click. No account or app needed.`,
    drawing: <SpreadingRings />,
  },
];

export function Steps() {
  return (
    <section
      aria-labelledby="steps"
      className="relative isolate overflow-clip border-t border-line py-chapter"
    >
      <div className="frame">
        <h2 id="steps" className="text-display max-sm:text-4xl">
          <Trans>How It Works</Trans>
        </h2>
        <ol className="mt-rhythm grid gap-x-10 gap-y-12 md:grid-cols-3">
          {STEPS.map(({ title, text, drawing }, index) => (
            <li key={title}>
              <div aria-hidden="true" className="relative max-md:max-w-72">
                {drawing}
              </div>
              <h3 className="mt-6 flex items-baseline gap-3 border-t border-line-firm pt-5 text-2xl">
                <span className="tabular text-ink-faint">{index + 1}</span>
                {title}
              </h3>
              <p className="mt-2 max-w-[22rem] text-ink-soft">{text}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
