import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Cloud, KeyRound, Plus, SquareTerminal } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import type { ApiKey } from '../../../../contracts/accounts/api-keys.ts';
import { FEATURES, tierIncludes, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { UpgradeOffer } from '../../../components/feedback/upgrade-offer.tsx';
import { focusSection, SettingsSection } from '../settings-section.tsx';
import { useApiKeys } from './api-key-queries.ts';
import { ApiKeyRow } from './api-key-row.tsx';
import { CreateApiKeyDialog, type NewApiKey, NewApiKeyDialog } from './create-api-key-dialog.tsx';

export function ApiKeysSection({ user }: { user: CurrentUser }) {
  const isIncluded = tierIncludes(user.tier, 'apiKeys');
  const { data: keys, error, refetch } = useApiKeys();
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<NewApiKey>();
  const create = () => setCreating(true);
  useFocusAfterEnd({ isShown: made !== undefined, count: keys?.length ?? 0 });
  return (
    <SettingsSection
      id="api-keys"
      title={t`API keys`}
      description={
        <>
          <Trans>Use API keys to let your apps manage transfers for you.</Trans>{' '}
          {/* Served by the server, outside this app. */}
          <a href="/docs/api" className="link">
            <Trans>How the API works</Trans>
          </a>
        </>
      }
      action={isIncluded && keys && keys.length > 0 && <CreateButton variant="secondary" onClick={create} />}
    >
      {!isIncluded && <Offer hasKeys={keys !== undefined && keys.length > 0} />}
      {keys && keys.length > 0 && <KeyList keys={keys} isIncluded={isIncluded} />}
      {keys?.length === 0 && isIncluded && <NoKeys onCreate={create} />}
      {!keys && error && (
        <LoadFailure
          message={t`Your API keys couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {!keys && !error && isIncluded && <Placeholders />}
      <CreateApiKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} onCreated={setMade} />
      {made && <NewApiKeyDialog apiKey={made} onClose={() => setMade(undefined)} />}
    </SettingsSection>
  );
}

/** Focuses the section when the focused button disappears with the empty list or a deleted row. */
function useFocusAfterEnd(now: { isShown: boolean; count: number }): void {
  const { isShown, count } = now;
  const last = useRef(now);
  useEffect(() => {
    const before = last.current;
    last.current = { isShown, count };
    if (!(before.isShown && !isShown) && count >= before.count) return;
    // Run after the dialog restores the focus.
    const timer = setTimeout(() => focusSection('api-keys'));
    return () => clearTimeout(timer);
  }, [isShown, count]);
}

function KeyList({ keys, isIncluded }: { keys: ApiKey[]; isIncluded: boolean }) {
  return (
    <ul aria-label={t`API keys`} className="flex flex-col divide-y divide-line">
      {keys.map((key) => (
        <ApiKeyRow key={key.id} apiKey={key} isIncluded={isIncluded} />
      ))}
    </ul>
  );
}

function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <div className="flex flex-col items-start gap-5 rounded-lg border border-dashed border-line-firm p-6 sm:flex-row sm:items-center">
      <KeyRound aria-hidden="true" strokeWidth={1.5} className="size-8 shrink-0 text-accent-ink" />
      <p className="grow text-ink-soft">
        <Trans>You have no API keys yet. Create one for each app.</Trans>
      </p>
      <CreateButton variant="primary" onClick={onCreate} />
    </div>
  );
}

function CreateButton({ variant, onClick }: { variant: 'primary' | 'secondary'; onClick: () => void }) {
  return (
    <Button variant={variant} size="sm" icon={<Plus />} onClick={onClick}>
      <Trans>Create Key</Trans>
    </Button>
  );
}

const PROMISES = [
  { icon: SquareTerminal, text: t`Send from scripts or the command line with a single command` },
  { icon: Cloud, text: t`Resumable uploads from your own apps, including via the tus protocol` },
  {
    icon: KeyRound,
    text: t`A separate key for each app, with read or write access, that you can revoke anytime`,
  },
];

function Offer({ hasKeys }: { hasKeys: boolean }) {
  const plan = tierLabel(FEATURES.apiKeys.tier);
  return (
    <UpgradeOffer
      title={t`Let your apps send for you`}
      text={t`API access comes with the ${plan} and Premium plans.`}
      promises={PROMISES}
      note={
        hasKeys && (
          <p className="mt-9 mb-5 text-ink-soft">
            <Trans>Your existing keys are paused. They work again as soon as you upgrade.</Trans>
          </p>
        )
      }
    />
  );
}

function Placeholders() {
  return (
    <SkeletonGroup label={t`Loading your API keys`} className="flex flex-col gap-6">
      {['first', 'second'].map((name) => (
        <div key={name} className="flex items-center justify-between gap-4">
          <Skeleton className="h-11 w-2/3" />
          <Skeleton className="h-7 w-12 rounded-full" />
        </div>
      ))}
    </SkeletonGroup>
  );
}
