import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowDown, Check, Clock, Eye, type LucideIcon, Mail } from 'lucide-react';
import { FileIcon } from '../../components/data/file-icon.tsx';
import { Badge } from '../../components/feedback/badge.tsx';
import { Logo } from '../../components/layout/logo.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { classNames } from '../../lib/class-names.ts';

const FILES = [
  { name: t`Nordlicht – final cut.mov`, size: '1.1 GB' },
  { name: t`Poster A2.pdf`, size: '48.2 MB' },
  { name: t`Score – stems.zip`, size: '212.6 MB' },
];

type Recipient = { email: string; state: string; icon: LucideIcon; isDone?: boolean };

const RECIPIENTS: Recipient[] = [
  { email: 'jun@studio.example', state: t`Downloaded`, icon: Check, isDone: true },
  { email: 'mira@sound.example', state: t`Opened`, icon: Eye },
  { email: 'press@cinema.example', state: t`Sent`, icon: Mail },
];

const DESCRIPTION = t`A recipient's download page with the transfer “Nordlicht”, its three files and a round download button. In front of it, the sender's view: three recipients, one of whom has downloaded the files.`;

/** Built from real components instead of a screenshot, so that it follows the theme and stays sharp. */
export function ProductPicture() {
  return (
    <div role="img" aria-label={DESCRIPTION} className="relative pb-32 select-none">
      <div className="rounded-xl border border-line-firm bg-surface/60">
        <AddressBar />
        <div className="grid gap-x-8 px-5 pt-6 pb-24 sm:grid-cols-[minmax(0,1fr)_15rem] sm:px-9 sm:pt-9 sm:pb-28">
          <div className="min-w-0 max-sm:order-2 max-sm:mt-8">
            <p className="font-heading text-4xl">
              <Trans>Nordlicht</Trans>
            </p>
            <p className="tabular mt-2 text-lg text-ink-soft">
              <Trans>3 files · 1.4 GB</Trans>
            </p>
            <ul className="mt-6 divide-y divide-line border-t border-line-firm">
              {FILES.map(({ name, size }) => (
                <li key={name} className="flex items-center gap-3.5 py-3">
                  <FileIcon fileName={name} />
                  <span className="min-w-0 grow truncate font-medium">{name}</span>
                  <span className="tabular shrink-0 text-sm text-ink-soft">{size}</span>
                </li>
              ))}
            </ul>
          </div>
          <Drop />
        </div>
      </div>
      <SenderCard />
    </div>
  );
}

function AddressBar() {
  return (
    <div className="flex items-center gap-3 border-b border-line px-5 py-3 sm:px-9">
      <Logo variant="mark" className="-ml-1" />
      <span className="truncate rounded-full bg-press px-4 py-1 font-mono text-xs text-ink-soft">
        <Trans>files.example.org/download/k7w2m9…</Trans>
      </span>
    </div>
  );
}

/** The rings extend beyond the page and lie behind it. */
function Drop() {
  return (
    <div className="relative grid h-44 place-items-center sm:h-64">
      <Ripples
        count={11}
        motion="arrive"
        className="absolute top-1/2 left-1/2 -z-10 size-[96rem] -translate-x-1/2 -translate-y-1/2"
      />
      <Ring className="[animation-delay:0.6s]" />
      <Ring className="[animation-delay:4.1s]" />
      <div className="grid size-40 place-items-center rounded-full bg-accent text-on-accent sm:size-52">
        <span className="flex flex-col items-center text-center">
          <ArrowDown strokeWidth={1.5} className="size-9 sm:size-10" />
          <span className="mt-1.5 max-w-[5em] font-heading text-lg leading-tight sm:text-xl">
            <Trans>Download All Files</Trans>
          </span>
          <span className="tabular mt-1 text-xs sm:text-sm">
            <Trans>1.4 GB zip</Trans>
          </span>
        </span>
      </div>
    </div>
  );
}

/** Doesn't move if the user prefers reduced motion. */
function Ring({ className }: { className: string }) {
  return (
    <span
      className={classNames(
        'absolute top-1/2 left-1/2 -z-10 -mt-[28rem] -ml-[28rem] size-[56rem] animate-[ring-spread_var(--ripple)_var(--ease-settle)_infinite_both] rounded-full border border-accent-ink',
        className,
      )}
    />
  );
}

function SenderCard() {
  return (
    <div className="absolute bottom-0 left-3 w-[min(23rem,calc(100%-1.5rem))] rounded-lg border border-line-firm bg-raised p-5 shadow-high sm:left-9 sm:p-6 lg:left-24">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <p className="font-heading text-xl">
          <Trans>Sent to three</Trans>
        </p>
        <Badge icon={<Clock />}>
          <Trans>Expires in 14 days</Trans>
        </Badge>
      </div>
      <ul className="mt-4 divide-y divide-line">
        {RECIPIENTS.map(({ email, state, icon: Icon, isDone }) => (
          <li key={email} className="flex items-center justify-between gap-3 py-2.5 text-sm">
            <span className="truncate">{email}</span>
            <span
              className={classNames(
                'flex shrink-0 items-center gap-1.5',
                isDone ? 'font-medium text-accent-ink' : 'text-ink-soft',
              )}
            >
              <Icon className="size-4" />
              {state}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
