import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from './link-button.tsx';

type UpgradeOfferProps = {
  title: string;
  text: string;
  promises: { icon: LucideIcon; text: string }[];
  /** Where whoever wants none of it goes. */
  back: { to: string; label: string };
  /** Below the buttons. */
  note?: ReactNode;
  /** What it would look like. */
  example: ReactNode;
};

/** What those whose plan has not got something find in its place: what it would be, and the way to it. */
export function UpgradeOffer({ title, text, promises, back, note, example }: UpgradeOfferProps) {
  return (
    <section className="mt-rhythm grid items-center gap-x-16 gap-y-12 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <div>
        <h2 className="text-2xl">{title}</h2>
        <p className="mt-3 text-ink-soft">{text}</p>
        <ul className="mt-6 flex flex-col gap-3.5">
          {promises.map(({ icon: Icon, text }) => (
            <li key={text} className="flex gap-3">
              <Icon
                aria-hidden="true"
                strokeWidth={1.75}
                className="mt-0.5 size-5 shrink-0 text-accent-ink"
              />
              {text}
            </li>
          ))}
        </ul>
        <div className="mt-8 flex flex-wrap gap-3">
          <LinkButton to="/pricing">Upgrade</LinkButton>
          <LinkButton to={back.to} variant="ghost">
            {back.label}
          </LinkButton>
        </div>
        {note}
      </div>
      {example}
    </section>
  );
}
