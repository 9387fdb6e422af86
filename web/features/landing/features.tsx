import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import {
  ChunkLanes,
  DownloadBars,
  LockedDoor,
  Notices,
  ScheduleDial,
  Thumbnails,
} from './feature-drawings.tsx';

type Feature = { title: string; text: string; drawing: ReactNode; className: string };

/** The cards vary in width so that no two rows look alike. */
const FEATURES: Feature[] = [
  {
    title: t`Fast Transfers of Any Size`,
    text: t`Files are sent in chunks, several at once. After a lost connection, a closed tab or a server restart, the upload resumes where it stopped.`,
    drawing: <ChunkLanes />,
    className: 'lg:col-span-7',
  },
  {
    title: t`Scheduled Transfers`,
    text: t`Send today, open Monday at nine. Until then, nobody can see even a file name.`,
    drawing: <ScheduleDial />,
    className: 'lg:col-span-5',
  },
  {
    title: t`Email Notifications`,
    text: t`Recipients get the link. You find out who downloaded, what was opened and what is about to expire.`,
    drawing: <Notices />,
    className: 'lg:col-span-5',
  },
  {
    title: t`Secure Sharing`,
    text: t`Passwords, exact download limits, an expiration date for every link, and files that delete themselves.`,
    drawing: <LockedDoor />,
    className: 'lg:col-span-7',
  },
  {
    title: t`Advanced Analytics`,
    text: t`Downloads, views and countries, day by day.`,
    drawing: <DownloadBars />,
    className: 'lg:col-span-7',
  },
  {
    title: t`File Previews`,
    text: t`Preview pictures, videos, audio and PDFs before downloading.`,
    drawing: <Thumbnails />,
    className: 'lg:col-span-5',
  },
];

export function Features() {
  return (
    <section aria-labelledby="features" className="relative border-t border-line bg-canvas py-chapter">
      <div className="frame">
        <h2 id="features" className="text-display max-sm:text-4xl">
          <Trans>Everything You Need</Trans>
        </h2>
        <ul className="mt-rhythm grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2 sm:gap-5 lg:grid-cols-12">
          {FEATURES.map((feature) => (
            <FeatureCard key={feature.title} {...feature} />
          ))}
        </ul>
        <RestApi />
      </div>
    </section>
  );
}

function FeatureCard({ title, text, drawing, className }: Feature) {
  return (
    <li
      className={classNames(
        'relative isolate flex min-h-88 flex-col justify-between gap-8 overflow-clip rounded-xl border border-line bg-surface',
        className,
      )}
    >
      <div aria-hidden="true" className="select-none">
        {drawing}
      </div>
      <div className="px-6 pb-7 sm:px-8 sm:pb-8">
        <h3 className="text-2xl">{title}</h3>
        <p className="mt-2 max-w-[27rem] text-ink-soft">{text}</p>
      </div>
    </li>
  );
}

function RestApi() {
  return (
    <div className="mt-rhythm grid grid-cols-[minmax(0,1fr)] items-center gap-x-16 gap-y-5 lg:grid-cols-[minmax(0,1fr)_auto]">
      <p className="max-w-[34rem] text-xl leading-[1.4] text-ink-soft">
        <Trans>
          <strong className="font-semibold text-ink">And a REST API.</strong> Your apps can do everything the
          website does, with their own API keys.
        </Trans>
      </p>
      <pre className="rounded-md whitespace-pre-wrap wrap-anywhere border border-line bg-sunken px-5 py-4 font-mono text-sm text-ink-soft max-sm:text-xs">
        <span className="text-accent-ink">curl</span>
        {' -C - -OJ https://…/api/download/k7w2m9/all'}
      </pre>
    </div>
  );
}
