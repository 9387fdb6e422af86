import type { ReactNode } from 'react';
import { PAGES } from '../../../contracts/values/pages.ts';
import { TierNumber } from '../../components/feedback/tier-number.tsx';
import { SessionLink } from '../../components/layout/session-link.tsx';
import { ProductPicture } from './product-picture.tsx';

/** The promise, the way in, and the product itself, whose rings reach behind the words. */
export function Hero() {
  return (
    <section className="relative isolate -mt-18 overflow-clip pt-18">
      <div className="frame">
        <div className="@container pt-8 sm:pt-12">
          <h1 className="-ml-[0.03em] text-[18.4cqi] leading-[0.9] sm:text-[14.25cqi] sm:whitespace-nowrap">
            Share Files <span className="whitespace-nowrap">Simply</span>
          </h1>
        </div>
        <div className="mt-7 grid grid-cols-[minmax(0,1fr)] gap-x-16 gap-y-14 pb-16 sm:mt-9 lg:grid-cols-[19rem_minmax(0,1fr)]">
          <div className="max-w-[30rem]">
            <p className="text-xl leading-[1.4] text-ink-soft">
              Upload, share via email, and track downloads with automatic expiration
            </p>
            <div className="mt-8">
              <SessionLink
                size="lg"
                signedOut={{ to: PAGES.auth, label: 'Get Started Free' }}
                signedIn={{ to: PAGES.dashboard, label: 'Upload Files' }}
              />
            </div>
            <ul className="mt-10 flex gap-8 lg:mt-12">
              <Figure value={<TierNumber name="premium.storagePerTransfer" />} label="per transfer" />
              <Figure value={<TierNumber name="premium.retentionDays" />} label="retention" />
            </ul>
          </div>
          <ProductPicture />
        </div>
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
