import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { BellRing, Plus, RotateCw, ShieldCheck, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { MAX_WEBHOOKS } from '../../../../contracts/accounts/webhooks.ts';
import { FEATURES, tierIncludes, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { UpgradeOffer } from '../../../components/feedback/upgrade-offer.tsx';
import { SettingsSection } from '../settings-section.tsx';
import { CreateWebhookDialog } from './webhook-form-dialog.tsx';
import { useWebhooks } from './webhook-queries.ts';
import { WebhookRow } from './webhook-row.tsx';

export function WebhooksSection({ user }: { user: CurrentUser }) {
  const isIncluded = tierIncludes(user.tier, 'webhooks');
  const { data: webhooks, error, refetch } = useWebhooks(isIncluded);
  const [isCreating, setCreating] = useState(false);
  const create = () => setCreating(true);
  if (!isIncluded)
    return (
      <SettingsSection id="webhooks" title={t`Webhooks`}>
        <Offer />
      </SettingsSection>
    );
  const hasRoom = webhooks && webhooks.length > 0 && webhooks.length < MAX_WEBHOOKS;
  return (
    <SettingsSection
      id="webhooks"
      title={t`Webhooks`}
      description={t`News of your transfers in Slack, Microsoft Teams, Discord, ntfy or Gotify, or as signed events for your own program. Sendwell retries for a day.`}
      action={hasRoom && <CreateButton variant="secondary" onClick={create} />}
    >
      {webhooks && webhooks.length > 0 && (
        <ul aria-label={t`Webhooks`} className="flex flex-col divide-y divide-line">
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      {webhooks?.length === 0 && <NoWebhooks onCreate={create} />}
      {!webhooks && error && (
        <LoadFailure
          message={t`Your webhooks couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {!webhooks && !error && (
        <SkeletonGroup label={t`Loading your webhooks`}>
          <Skeleton className="h-16" />
        </SkeletonGroup>
      )}
      <CreateWebhookDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </SettingsSection>
  );
}

function NoWebhooks({ onCreate }: { onCreate: () => void }) {
  return (
    <div className="flex flex-col items-start gap-5 rounded-lg border border-dashed border-line-firm p-6 sm:flex-row sm:items-center">
      <WebhookIcon aria-hidden="true" strokeWidth={1.5} className="size-8 shrink-0 text-accent-ink" />
      <p className="grow text-ink-soft">
        <Trans>You have no webhooks yet.</Trans>
      </p>
      <CreateButton variant="primary" onClick={onCreate} />
    </div>
  );
}

function CreateButton({ variant, onClick }: { variant: 'primary' | 'secondary'; onClick: () => void }) {
  return (
    <Button variant={variant} size="sm" icon={<Plus />} onClick={onClick}>
      <Trans>Create Webhook</Trans>
    </Button>
  );
}

const PROMISES = [
  {
    icon: BellRing,
    text: t`Know when a transfer is ready, viewed, downloaded or expired: in Slack, Teams, Discord, ntfy or Gotify`,
  },
  {
    icon: ShieldCheck,
    text: t`Or send events to your own program, signed, so that it can verify that they come from Sendwell`,
  },
  { icon: RotateCw, text: t`Failed deliveries are retried for a day, and every response is logged` },
];

function Offer() {
  const plan = tierLabel(FEATURES.webhooks.tier);
  return (
    <UpgradeOffer
      title={t`Notify your apps`}
      text={t`Webhooks come with the ${plan} plan. Existing webhooks are kept but paused until you upgrade.`}
      promises={PROMISES}
    />
  );
}
