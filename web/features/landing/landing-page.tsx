import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PAGES, SIGN_UP_PATH } from '../../../contracts/values/addresses/pages.ts';
import { TierNumber } from '../../components/feedback/tier-number.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { SessionLink } from '../../components/layout/session-link.tsx';
import { classNames } from '../../lib/class-names.ts';
import { i18n } from '../../lib/language/messages.tsx';
import { DropArea } from './drop-area.tsx';
import { Features } from './features.tsx';
import { ProductPicture } from './product-picture.tsx';
import { Steps } from './steps.tsx';

/** English fits one line exactly; the headlines of other languages are longer and may take two. */
const HEADLINE_SIZE =
  i18n.locale === 'en'
    ? 'text-[18.4cqi] sm:text-[14.25cqi] sm:whitespace-nowrap'
    : 'text-[14.5cqi] text-balance sm:text-[9.5cqi]';

export function LandingPage() {
  return (
    <main id="main" tabIndex={-1} className="outline-none">
      <Hero />
      <Features />
      <Steps />
      <Stats />
    </main>
  );
}

function Hero() {
  return (
    <section className="relative isolate -mt-18 overflow-clip pt-18 pb-14 sm:pb-20">
      <div className="frame">
        <div className="@container pt-8 sm:pt-12">
          <h1 className={classNames('-ml-[0.03em] leading-[0.9]', HEADLINE_SIZE)}>
            <Trans>
              Share Files <span className="whitespace-nowrap">Simply</span>
            </Trans>
          </h1>
        </div>
        <div className="mt-7 grid grid-cols-[minmax(0,1fr)] gap-x-16 gap-y-14 pb-16 sm:mt-9 lg:grid-cols-[19rem_minmax(0,1fr)]">
          <div className="max-w-[30rem]">
            <p className="text-xl leading-[1.4] text-ink-soft">
              <Trans>Upload, share via email, and track downloads with automatic expiration</Trans>
            </p>
            <div className="mt-8">
              <SessionLink
                size="lg"
                signedOut={{ to: SIGN_UP_PATH, label: t`Get Started Free` }}
                signedIn={{ to: PAGES.dashboard, label: t`Upload Files` }}
              />
            </div>
            <p className="mt-5 text-sm">
              <a href={PAGES.pickup} className="link inline-block py-1 text-ink-soft">
                <Trans>Enter a pickup code</Trans>
              </a>
            </p>
            <ul className="mt-10 flex gap-8 lg:mt-12">
              <Figure value={<TierNumber name="premium.storagePerTransfer" />} label={t`per transfer`} />
              <Figure value={<TierNumber name="premium.retentionDays" />} label={t`retention`} />
            </ul>
          </div>
          <DropArea />
        </div>
        <ProductPicture />
      </div>
    </section>
  );
}

function Figure({ value, label }: { value: ReactNode; label: string }) {
  return (
    <li>
      <span className="tabular font-heading text-2xl">{value}</span>{' '}
      <span className="block text-sm text-ink-soft">{label}</span>
    </li>
  );
}

/** Fixed figures, not measured. */
const STATS = [
  { value: '10K+', label: t`files shared` },
  { value: '2K+', label: t`active users` },
  { value: '500GB', label: t`storage used` },
];

function Stats() {
  return (
    <section
      aria-label={t`Sendwell in numbers`}
      className="relative isolate overflow-clip border-t border-line bg-sunken"
    >
      <Ripples
        view="slanted"
        count={11}
        className="absolute top-[96%] left-1/2 -z-10 w-[max(70rem,118vw)] -translate-x-1/2 -translate-y-1/2"
      />
      <dl className="frame flex flex-wrap justify-between gap-x-12 gap-y-8 py-chapter">
        {STATS.map(({ value, label }) => (
          <div key={label} className="flex flex-col-reverse gap-2">
            <dt className="text-lg text-ink-soft">{label}</dt>
            <dd className="font-heading text-[clamp(4rem,2rem+8vw,8.5rem)] leading-[0.86]">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
