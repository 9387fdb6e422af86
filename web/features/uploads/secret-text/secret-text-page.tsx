import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Eye, Hourglass, LockKeyhole } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { FEATURES, tierIncludes, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { useSession } from '../../../api/session/session.ts';
import { useTierConfig } from '../../../api/tier-limits.ts';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { UpgradeOffer } from '../../../components/feedback/upgrade-offer.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { canEncrypt } from '../../../lib/browser/can-encrypt.ts';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { Link } from '../../../lib/routing.tsx';
import { SecretLink } from './secret-link.tsx';
import { SecretTextForm, type SentSecret } from './secret-text-form.tsx';

/** Sends a text that can be opened once. */
export function SecretTextPage() {
  const { user } = useSession();
  const { tiers, isKnown } = useTierConfig();
  const [sent, setSent] = useState<SentSecret>();
  usePageTitle(t`Secret Text`);
  if (!user) return null;
  const { retentionDays, encryption } = tiers[user.tier];
  return (
    <>
      <h1 className="text-3xl">
        <Trans>Secret Text</Trans>
      </h1>
      <p className="mt-3 max-w-[44rem] text-ink-soft">
        <Trans>
          Send a text by a link that works once. The server can neither read it nor show it twice.{' '}
          <Link to={PAGES.upload} className="link whitespace-nowrap">
            Send files instead
          </Link>
        </Trans>
      </p>
      {!tierIncludes(user.tier, 'maxDownloads') ? (
        <Upgrade />
      ) : !isKnown ? (
        <SkeletonGroup label={t`Loading your plan`} className="mt-rhythm">
          <Skeleton className="h-64" />
        </SkeletonGroup>
      ) : encryption === 'forbidden' ? (
        <Unavailable>
          <Trans>
            The administrator has turned end-to-end encryption off for your plan, and secret texts need it.
          </Trans>
        </Unavailable>
      ) : !canEncrypt() ? (
        <Unavailable>
          <Trans>Your browser can encrypt only on https addresses.</Trans>
        </Unavailable>
      ) : sent ? (
        <SecretLink sent={sent} onAgain={() => setSent(undefined)} />
      ) : (
        <SecretTextForm userId={user.id} plan={{ tier: user.tier, retentionDays }} onSent={setSent} />
      )}
    </>
  );
}

function Unavailable({ children }: { children: ReactNode }) {
  return (
    <p className="mt-rhythm max-w-[44rem] rounded-lg border border-line-firm bg-surface px-5 py-4">
      {children}
    </p>
  );
}

function Upgrade() {
  return (
    <UpgradeOffer
      title={t`Send a text that is opened once`}
      text={t`Secret texts have a download limit, which comes with the ${tierLabel(FEATURES.maxDownloads.tier)} plan.`}
      promises={[
        { icon: LockKeyhole, text: t`Encrypted in your browser; the key is only in the link` },
        { icon: Eye, text: t`Counted exactly: the second visitor sees that it was opened` },
        { icon: Hourglass, text: t`Gone after the days that you choose` },
      ]}
      back={{ to: PAGES.upload, label: t`Send files instead` }}
      example={<Example />}
    />
  );
}

/** What the recipient sees. */
function Example() {
  return (
    <figure className="min-w-0">
      <Surface padding="lg" aria-hidden="true" className="text-center">
        <p className="font-mono text-2xl tracking-widest text-ink-faint">••••••••••••</p>
        <p className="mx-auto mt-6 w-fit rounded-full bg-accent px-6 py-2.5 font-medium text-on-accent">
          {t`Show the text`}
        </p>
      </Surface>
      <figcaption className="mt-4 text-center text-sm text-ink-faint">
        <Trans>What the recipient sees</Trans>
      </figcaption>
    </figure>
  );
}
