import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronDown } from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { isEmail } from '../../../contracts/values/fields.ts';
import { bindField } from '../../api/forms/contract-form.ts';
import { Skeleton } from '../../components/feedback/skeleton.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { type Tab, Tabs } from '../../components/layout/tabs.tsx';
import { classNames } from '../../lib/class-names.ts';
import { lateModule } from '../../lib/loading/late-module.ts';
import { parseEmails } from '../../lib/values/email-list.ts';
import type { SettingsField, SettingsForm } from '../../transfer-settings/settings-form.ts';
import { TitleAndMessage } from '../../transfer-settings/title-and-message.tsx';
import { describeShare } from './share-summary.ts';
import type { Plan } from './upload-limits.ts';

type ShareSettingsProps = {
  form: UseFormReturn<SettingsForm>;
  plan: Plan;
  /** While the transfer completes. */
  isLocked: boolean;
  isEncrypted: boolean;
  /** The transfer was submitted, so that its encryption can't change any more. */
  isEncryptionFixed: boolean;
  /** Keeps the upload button in view, because there are files to send. */
  isButtonSticky: boolean;
  onSubmit: () => void;
  /** The upload button. */
  children: ReactNode;
};

/** The recipients and the options, which are not visible at first. */
const useFields = lateModule(() => import('../../transfer-settings/settings-fields.tsx'), { isLikely: true });

type Way = 'link' | 'email';

/** Fields that are always visible; the others are behind Options. */
const VISIBLE: SettingsField[] = ['title', 'message', 'recipients'];

/** How a new transfer is shared. Can be edited until the transfer completes. */
export function ShareSettings({
  form,
  plan,
  isLocked,
  isEncrypted,
  isEncryptionFixed,
  isButtonSticky,
  onSubmit,
  children,
}: ShareSettingsProps) {
  const [isOpen, setOpen] = useState(false);
  const [way, setWay] = useState<Way>(form.getValues('recipients') ? 'email' : 'link');
  const fields = useFields(isOpen || way === 'email');
  useRevealErrors(form, { showOptions: () => setOpen(true), showRecipients: () => setWay('email') });
  const recipients = parseEmails(useWatch({ control: form.control, name: 'recipients' })).filter(isEmail);
  const tabs: Tab<Way>[] = [
    { id: 'link', label: t`Link` },
    {
      id: 'email',
      label: t`Email`,
      ...(recipients.length > 0 && {
        count: recipients.length,
        countLabel: plural(recipients.length, { one: '# recipient', other: '# recipients' }),
      }),
    },
  ];
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
        <fieldset disabled={isLocked} className="mt-4">
          <legend className="sr-only">
            <Trans>Share Settings</Trans>
          </legend>
          <Tabs label={t`How to share`} tabs={tabs} current={way} onChange={setWay}>
            {/* The sticky button must not cover focused fields (WCAG 2.4.11). */}
            <div className="mt-5 flex flex-col gap-5 [&_input]:scroll-mb-36 [&_textarea]:scroll-mb-36">
              {way === 'email' && fields && (
                <fields.Recipients form={form} isSent={false} isEncrypted={isEncrypted} />
              )}
              <TitleAndMessage
                title={bindField(form, 'title')}
                message={bindField(form, 'message')}
                isTitleOptional
              />
              {way === 'link' && recipients.length > 0 && (
                <p className="text-sm wrap-anywhere text-ink-soft">
                  <Trans>Also emailed to {recipients.join(', ')}</Trans>
                </p>
              )}
            </div>
          </Tabs>
          <hr className="mt-5" />
          <OptionsLine {...{ form, plan, isEncrypted, isOpen }} onToggle={() => setOpen(!isOpen)} />
          {isOpen && fields && (
            <div
              id="share-options"
              className="mt-4 mb-2 flex flex-col gap-5 [&_input]:scroll-mb-36 [&_textarea]:scroll-mb-36"
            >
              {plan.limits.encryption !== 'forbidden' && (
                <>
                  <fields.EncryptionField
                    form={form}
                    policy={plan.limits.encryption}
                    isFixed={isEncryptionFixed}
                  />
                  <hr />
                </>
              )}
              <fields.OptionFields
                form={form}
                plan={{ tier: plan.tier, retentionDays: plan.limits.retentionDays }}
                isEncrypted={isEncrypted}
                isPasswordFixed={isEncrypted && isEncryptionFixed}
              />
            </div>
          )}
        </fieldset>
        <div
          data-low-edge={isButtonSticky ? 'page' : undefined}
          className={classNames(
            '-mx-5 mt-4 -mb-5 rounded-b-lg border-t border-line bg-surface p-4 sm:-mx-6 sm:-mb-6',
            isButtonSticky && 'sticky bottom-0 pb-[max(1rem,env(safe-area-inset-bottom))]',
          )}
        >
          {children}
        </div>
      </Surface>
    </form>
  );
}

type Reveal = { showOptions: () => void; showRecipients: () => void };

/**
 * Shows the fields that have mistakes, then focuses the first of them: when the form is sent, and for mistakes that the
 * server finds. While somebody corrects a field, the focus stays there.
 */
function useRevealErrors(form: UseFormReturn<SettingsForm>, { showOptions, showRecipients }: Reveal): void {
  const { errors, submitCount } = form.formState;
  const last = useRef({ submitCount, wrong: [] as SettingsField[] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new errors reveal fields.
  useEffect(() => {
    const wrong = Object.keys(errors) as SettingsField[];
    const before = last.current;
    last.current = { submitCount, wrong };
    const isNew = (field: SettingsField) =>
      !before.wrong.includes(field) && document.activeElement?.getAttribute('name') !== field;
    const [first] = wrong;
    if (!first || (submitCount === before.submitCount && !wrong.some(isNew))) return;
    if (wrong.some((field) => !VISIBLE.includes(field))) showOptions();
    if (wrong.includes('recipients')) showRecipients();
    // After the fields have appeared.
    const timer = setTimeout(() => form.setFocus(first));
    return () => clearTimeout(timer);
  }, [errors, submitCount]);
}

type OptionsLineProps = Pick<ShareSettingsProps, 'form' | 'plan' | 'isEncrypted'> & {
  isOpen: boolean;
  onToggle: () => void;
};

/** The settings in short, updated every minute. Pressing it shows their fields. */
function OptionsLine({ form, plan, isEncrypted, isOpen, onToggle }: OptionsLineProps) {
  const { tier, limits, isKnown } = plan;
  const values = useWatch({ control: form.control }) as SettingsForm;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const settingsPlan = { tier, retentionDays: limits.retentionDays };
  const parts = describeShare(values, settingsPlan, { now, isEncrypted });
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? 'share-options' : undefined}
      onClick={onToggle}
      className="group -mx-2 mt-3 flex w-[calc(100%+1rem)] items-center gap-3 rounded-md px-2 py-2 text-left transition-colors duration-(--quick) hover:bg-press"
    >
      <span className="min-w-0 grow">
        <span className="block font-medium">
          <Trans>Options</Trans>
        </span>
        {isKnown ? (
          <span data-testid="share-summary" className="tabular block text-sm text-ink-soft">
            {parts.map((part, index) => (
              <Fragment key={part}>
                {index > 0 && ' · '}
                <span className="whitespace-nowrap">{part}</span>
              </Fragment>
            ))}
          </span>
        ) : (
          <Skeleton className="mt-1 h-4 w-4/5" />
        )}
      </span>
      <ChevronDown
        aria-hidden="true"
        className={classNames(
          'size-5 shrink-0 text-ink-faint transition-[rotate] duration-(--brisk)',
          isOpen && 'rotate-180',
        )}
      />
    </button>
  );
}
