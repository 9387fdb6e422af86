import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CloudOff, Files, Inbox, type LucideIcon, MailCheck, Plus, ShieldCheck } from 'lucide-react';
import { errorDetail } from '../../../client/api-error.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { Button } from '../../components/actions/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { UpgradeOffer } from '../../components/feedback/upgrade-offer.tsx';
import { Surface } from '../../components/layout/surface.tsx';

export function Placeholders() {
  return (
    <SkeletonGroup label={t`Loading your invitations`} className="flex flex-col gap-4">
      {['first', 'second', 'third'].map((name) => (
        <Surface key={name} data-testid="placeholder">
          <div className="flex items-start justify-between gap-6">
            <Skeleton className="h-7 w-1/2" />
            <Skeleton className="h-7 w-24" />
          </div>
          <Skeleton className="mt-3 h-5 w-2/3" />
          <Skeleton className="mt-6 h-14 w-full rounded-full" />
          <Skeleton className="mt-6 h-12 w-full" />
        </Surface>
      ))}
    </SkeletonGroup>
  );
}

export function NothingYet({ onCreate }: { onCreate: () => void }) {
  return (
    <EmptyState
      icon={<Inbox />}
      title={t`No upload invitations yet`}
      description={t`Create a link and share it, so that others can send you files. They don't need an account.`}
      action={
        <Button size="lg" icon={<Plus />} onClick={onCreate}>
          <Trans>Create Your First Invitation</Trans>
        </Button>
      }
    />
  );
}

export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title={t`Your invitations couldn't be loaded`}
      description={errorDetail(error)}
      action={
        <Button onClick={() => onRetry()}>
          <Trans>Try again</Trans>
        </Button>
      }
    />
  );
}

const PROMISES: { icon: LucideIcon; text: string }[] = [
  { icon: MailCheck, text: t`Visitors confirm their email address with a code. They don't need an account.` },
  { icon: Files, text: t`Whole folders and large files that resume after a lost connection` },
  {
    icon: ShieldCheck,
    text: t`Your own limits for sizes, file counts and types, and you can close a link anytime`,
  },
];

/** Shown if the plan has no invitations. */
export function PremiumOffer() {
  return (
    <UpgradeOffer
      title={t`Let others send files to you`}
      text={t`Upload invitations come with the Premium plan. Share a link, and the files people send through it arrive in My Transfers.`}
      promises={PROMISES}
      back={{ to: PAGES.dashboard, label: t`Back to My Transfers` }}
      example={<Example />}
    />
  );
}

const EXAMPLE_ARRIVALS = [
  { from: 'ada@atelier.example', what: t`96 files · 8 GB` },
  { from: 'jun@studio.example', what: t`1 file · 640 MB` },
  { from: 'vera@north.example', what: t`36 files · 2.1 GB` },
];

function Example() {
  return (
    <figure className="min-w-0">
      <Surface padding="lg" level="raised">
        <p className="font-heading text-xl">
          <Trans>Photos of the opening night</Trans>
        </p>
        <p className="mt-2 text-ink-soft">
          <Trans>Please send me all your photos in full size.</Trans>
        </p>
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
        <Trans>An example with fictional people</Trans>
      </figcaption>
    </figure>
  );
}
