import { Trans } from '@lingui/react/macro';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../actions/link-button.tsx';

type UpgradeOfferProps = {
  title: string;
  text: string;
  promises: { icon: LucideIcon; text: string }[];
  /** The way out without an upgrade, if one is needed. */
  back?: { to: string; label: string };
  /** Below the buttons. */
  note?: ReactNode;
  /** A preview of the feature. Without it, the offer is a section of a larger page. */
  example?: ReactNode;
};

/** Shown in place of a feature that the plan doesn't include: what it offers, and how to upgrade. */
export function UpgradeOffer({ example, ...words }: UpgradeOfferProps) {
  if (!example) return <Offer {...words} heading="h3" />;
  return (
    <section className="mt-rhythm grid items-center gap-x-16 gap-y-12 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <Offer {...words} heading="h2" />
      {example}
    </section>
  );
}

type OfferProps = Omit<UpgradeOfferProps, 'example'> & { heading: 'h2' | 'h3' };

function Offer({ title, text, promises, back, note, heading: Heading }: OfferProps) {
  return (
    <div>
      <Heading className={Heading === 'h2' ? 'text-2xl' : 'text-xl'}>{title}</Heading>
      <p className="mt-3 max-w-[36rem] text-ink-soft">{text}</p>
      <ul className="mt-6 flex flex-col gap-3.5">
        {promises.map(({ icon: Icon, text: promise }) => (
          <li key={promise} className="flex gap-3">
            <Icon aria-hidden="true" strokeWidth={1.75} className="mt-0.5 size-5 shrink-0 text-accent-ink" />
            {promise}
          </li>
        ))}
      </ul>
      <div className="mt-8 flex flex-wrap gap-3">
        <LinkButton to="/pricing">
          <Trans>Upgrade</Trans>
        </LinkButton>
        {back && (
          <LinkButton to={back.to} variant="ghost">
            {back.label}
          </LinkButton>
        )}
      </div>
      {note}
    </div>
  );
}
