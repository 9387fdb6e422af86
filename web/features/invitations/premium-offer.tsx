import { Files, type LucideIcon, MailCheck, ShieldCheck } from 'lucide-react';
import { PAGES } from '../../../contracts/values/pages.ts';
import { Surface } from '../../components/surface.tsx';
import { UpgradeOffer } from '../../components/upgrade-offer.tsx';

const PROMISES: { icon: LucideIcon; text: string }[] = [
  { icon: MailCheck, text: 'Visitors confirm their email address with a code. They need no account.' },
  { icon: Files, text: 'Whole folders and large files, resumed where a connection broke off' },
  { icon: ShieldCheck, text: 'Your own limits for sizes, file counts and types, closed whenever you like' },
];

/** What those whose plan has no invitations find here: what it would be, and the way to it. */
export function PremiumOffer() {
  return (
    <UpgradeOffer
      title="Let others send files to you"
      text="Upload invitations are part of the Premium plan. You pass a link on, and what comes in through it arrives in My Transfers."
      promises={PROMISES}
      back={{ to: PAGES.dashboard, label: 'Back to My Transfers' }}
      example={<Example />}
    />
  );
}

const EXAMPLE_ARRIVALS = [
  { from: 'ada@atelier.example', what: '96 files · 8 GB' },
  { from: 'jun@studio.example', what: '1 file · 640 MB' },
  { from: 'vera@north.example', what: '36 files · 2.1 GB' },
];

/** Invented people, and said to be. */
function Example() {
  return (
    <figure className="min-w-0">
      <Surface padding="lg" level="raised">
        <p className="font-heading text-xl">Pictures of the opening night</p>
        <p className="mt-2 text-ink-soft">Please send me all you have, in full size.</p>
        <ul className="tabular mt-6 divide-y divide-line border-t border-line">
          {EXAMPLE_ARRIVALS.map(({ from, what }) => (
            <li key={from} className="flex flex-wrap justify-between gap-x-6 py-3">
              <span className="min-w-0 wrap-anywhere">{from}</span>
              <span className="text-ink-faint">{what}</span>
            </li>
          ))}
        </ul>
      </Surface>
      <figcaption className="mt-4 text-center text-sm text-ink-faint">
        An example with invented people
      </figcaption>
    </figure>
  );
}
