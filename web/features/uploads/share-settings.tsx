import { Trans } from '@lingui/react/macro';
import { Lock } from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { Surface } from '../../components/layout/surface.tsx';
import { classNames } from '../../lib/class-names.ts';
import { SettingsFields } from '../../transfer-settings/settings-fields.tsx';
import type { SettingsForm } from '../../transfer-settings/settings-form.ts';
import { describeShare } from './share-summary.ts';
import type { Plan } from './upload-limits.ts';

type ShareSettingsProps = {
  form: UseFormReturn<SettingsForm>;
  plan: Plan;
  /** While files are being sent. */
  isLocked: boolean;
  /** Keeps the upload button in view, because there are files to send. */
  isButtonSticky: boolean;
  onSubmit: () => void;
  /** The upload button. */
  children: ReactNode;
};

export function ShareSettings({
  form,
  plan,
  isLocked,
  isButtonSticky,
  onSubmit,
  children,
}: ShareSettingsProps) {
  return (
    <form
      noValidate
      aria-labelledby="share-settings"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Surface>
        <h2 id="share-settings" className="text-xl">
          <Trans>Share Settings</Trans>
        </h2>
        {isLocked && (
          <p className="mt-2 flex items-center gap-2 text-sm text-ink-soft">
            <Lock aria-hidden="true" className="size-4 shrink-0" />
            <Trans>Locked while uploading</Trans>
          </p>
        )}
        {/* The sticky button must not cover focused fields (WCAG 2.4.11). */}
        <fieldset
          disabled={isLocked}
          className="mt-5 flex flex-col gap-5 [&_input]:scroll-mb-36 [&_textarea]:scroll-mb-36"
        >
          <legend className="sr-only">
            <Trans>Share Settings</Trans>
          </legend>
          <SettingsFields form={form} plan={{ tier: plan.tier, retentionDays: plan.limits.retentionDays }} />
        </fieldset>
        <div
          data-low-edge={isButtonSticky ? 'page' : undefined}
          className={classNames(
            '-mx-5 mt-7 -mb-5 rounded-b-lg border-t border-line bg-surface p-4 sm:-mx-6 sm:-mb-6',
            isButtonSticky && 'sticky bottom-0 pb-[max(1rem,env(safe-area-inset-bottom))]',
          )}
        >
          <Summary form={form} plan={plan} />
          {children}
        </div>
      </Surface>
    </form>
  );
}

/** The settings in short, updated every minute. */
function Summary({ form, plan: { tier, limits } }: Pick<ShareSettingsProps, 'form' | 'plan'>) {
  const values = useWatch({ control: form.control }) as SettingsForm;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p data-testid="share-summary" className="tabular mb-3 px-1 text-sm text-ink-soft">
      {describeShare(values, { tier, retentionDays: limits.retentionDays }, now).map((part, index) => (
        <Fragment key={part}>
          {index > 0 && ' · '}
          <span className="whitespace-nowrap">{part}</span>
        </Fragment>
      ))}
    </p>
  );
}
