import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, LockKeyhole, Mail } from 'lucide-react';
import { classNames } from '../../lib/class-names.ts';

/** Chunks sent per lane. */
const LANES = [17, 14, 16, 12];
const PIECES = 24;

/** An upload with four parallel lanes of chunks. */
export function ChunkLanes() {
  return (
    <div className="px-6 pt-7 sm:px-8 sm:pt-8">
      <p className="flex items-baseline justify-between gap-4">
        <span className="truncate font-medium">
          <Trans>Nordlicht – master.mov</Trans>
        </span>
        <span className="tabular shrink-0 text-sm text-ink-soft">
          <Trans>31.4 of 48.2 GB</Trans>
        </span>
      </p>
      <svg
        aria-hidden="true"
        width="100%"
        height="112"
        className="mt-5"
        strokeDasharray="0.82 0.18"
        strokeWidth="22"
      >
        {LANES.map((sent, index) => (
          <g key={sent}>
            <Lane row={index} pieces={PIECES} className="stroke-press" />
            <Lane row={index} pieces={sent} className="stroke-accent-ink" />
          </g>
        ))}
      </svg>
    </div>
  );
}

/** `pathLength` makes one chunk one unit long, whatever the width of the card. */
function Lane({ row, pieces, className }: { row: number; pieces: number; className: string }) {
  const y = 11 + row * 29;
  return <line x2={`${(100 * pieces) / PIECES}%`} y1={y} y2={y} pathLength={pieces} className={className} />;
}

/** The time until a scheduled transfer opens. */
export function ScheduleDial() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 360 360"
      fill="none"
      className="absolute -top-24 -right-20 -z-10 size-84 sm:-right-14 lg:size-88"
    >
      <g className="stroke-line-firm">
        <circle cx="180" cy="180" r="118" />
        <circle cx="180" cy="180" r="84" />
        <circle cx="180" cy="180" r="160" pathLength="120" strokeWidth="10" strokeDasharray="0.22 1.78" />
      </g>
      <circle
        cx="180"
        cy="180"
        r="140"
        pathLength="100"
        strokeDasharray="75 100"
        strokeWidth="4"
        strokeLinecap="round"
        transform="rotate(-90 180 180)"
        className="stroke-accent-ink"
      />
      <circle cx="40" cy="180" r="10" className="fill-accent-ink" />
      <text x="180" y="174" textAnchor="middle" fontSize="21" className="fill-ink-soft">
        <Trans>Monday</Trans>
      </text>
      <text x="180" y="212" textAnchor="middle" fontSize="40" className="fill-ink font-heading">
        9:00
      </text>
    </svg>
  );
}

export function Notices() {
  const notices = [
    { text: t`jun@studio.example downloaded 3 files`, when: t`now` },
    { text: t`mira@sound.example opened Nordlicht`, when: t`12 min` },
    { text: t`Contracts 2025 expires in 48 hours`, when: t`1 h` },
  ];
  return (
    <ul className="flex flex-col gap-2.5 pt-7 pl-6 sm:pt-8 sm:pl-8">
      {notices.map(({ text, when }, index) => (
        <li
          key={text}
          className={classNames(
            'flex items-center gap-3 rounded-l-full border border-r-0 py-2.5 pr-5 pl-3.5 text-sm',
            index === 0 ? 'border-line-firm bg-raised' : 'border-line text-ink-soft',
            index === 1 && 'ml-6',
            index === 2 && 'ml-12',
          )}
        >
          <Mail
            strokeWidth={1.75}
            className={classNames('size-5 shrink-0', index === 0 ? 'text-accent-ink' : 'text-ink-faint')}
          />
          <span className="min-w-0 grow truncate">{text}</span>
          <span className="tabular shrink-0 text-xs text-ink-faint">{when}</span>
        </li>
      ))}
    </ul>
  );
}

/** The password field and the limits of a protected transfer. */
export function LockedDoor() {
  const rules = [t`2 of 3 downloads used`, t`Expires in 14 days`, t`Removed after the last download`];
  return (
    <div className="px-6 pt-7 sm:px-8 sm:pt-8">
      <div className="flex items-center gap-4 rounded-full border border-edge bg-canvas p-2 pl-5 lg:p-2.5 lg:pl-6">
        <LockKeyhole strokeWidth={1.75} className="size-5 shrink-0 text-ink-faint" />
        <svg
          aria-hidden="true"
          width="120"
          height="8"
          fill="none"
          className="mr-auto min-w-0 overflow-hidden stroke-ink"
        >
          <path d="M4 4h112" strokeWidth="8" strokeLinecap="round" strokeDasharray="0 16" />
        </svg>
        <span className="shrink-0 rounded-full bg-accent px-5 py-2 text-sm font-medium text-on-accent lg:px-6 lg:py-2.5 lg:text-base">
          <span className="max-lg:hidden">
            <Trans>Unlock Transfer</Trans>
          </span>
          <span className="lg:hidden">
            <Trans>Unlock</Trans>
          </span>
        </span>
      </div>
      <ul className="mt-6 flex flex-wrap gap-x-6 gap-y-2 text-sm text-ink-soft">
        {rules.map((rule) => (
          <li key={rule} className="flex items-center gap-2.5">
            <Check strokeWidth={2} className="size-4 shrink-0 text-accent-ink" />
            {rule}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function DownloadBars() {
  const days = [6, 9, 7, 14, 11, 4, 5, 16, 22, 19, 27, 24, 9, 12, 31, 36, 28, 44, 58, 40, 49];
  const totals = [t`513 downloads`, t`1,284 views`, t`9 countries`];
  return (
    <div className="px-6 pt-7 sm:px-8 sm:pt-8">
      <p className="tabular flex flex-wrap gap-x-6 gap-y-1 text-sm text-ink-soft">
        {totals.map((total) => (
          <span key={total}>{total}</span>
        ))}
      </p>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${days.length * 24} 132`}
        preserveAspectRatio="none"
        className="mt-5 h-32 w-full"
        fill="none"
      >
        {days.map((count, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: days never change their places.
            key={index}
            x={index * 24}
            width="17"
            y={130 - count * 2.15}
            height={count * 2.15}
            rx="4"
            className={count === 58 ? 'fill-accent-ink' : 'fill-line-firm'}
          />
        ))}
        <line x2="100%" y1="131" y2="131" className="stroke-line-firm" />
      </svg>
    </div>
  );
}

const SHEET =
  'absolute aspect-3/4 w-32 overflow-clip rounded-md border border-line-firm bg-raised shadow-mid sm:w-36';

export function Thumbnails() {
  return (
    <div className="relative h-58">
      <div className={classNames(SHEET, 'top-12 left-8 -rotate-8')}>
        <svg
          aria-hidden="true"
          viewBox="0 0 120 160"
          fill="none"
          strokeWidth="4"
          strokeLinecap="round"
          className="size-full"
        >
          <path d="M20 34h46" strokeWidth="8" className="stroke-ink-soft" />
          <path d="M20 62h80M20 78h72M20 94h80M20 110h50" className="stroke-line-firm" />
        </svg>
      </div>
      <div className={classNames(SHEET, 'top-7 left-1/2 z-10 -ml-16 sm:-ml-18')}>
        <svg aria-hidden="true" viewBox="0 0 120 160" fill="none" className="size-full">
          <circle cx="78" cy="52" r="17" className="fill-accent-ink" />
          <path d="M-4 128 34 78l26 30 22-22 44 46v34H-4z" className="fill-edge" />
          <path d="M-4 142 46 108l30 22 20-12 30 20v30H-4z" className="fill-ink-soft" />
        </svg>
      </div>
      <div className={classNames(SHEET, 'top-12 right-8 rotate-8')}>
        <svg
          aria-hidden="true"
          viewBox="0 0 120 160"
          fill="none"
          strokeWidth="5"
          strokeLinecap="round"
          className="size-full"
        >
          <path
            d="M20 74v12M32 62v36M44 70v20M56 46v68M68 58v44M80 72v16M92 54v52M104 74v12"
            className="stroke-accent-ink"
          />
        </svg>
      </div>
    </div>
  );
}
