import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Link } from 'react-router';
import {
  clampExpirationDays,
  MESSAGE_MAX,
  TITLE_MAX,
  TRANSFER_PASSWORD_MAX,
} from '../../../contracts/limits.ts';
import { FEATURES, tierIncludes, tierLabel } from '../../../contracts/tiers.ts';
import { Badge } from '../../components/badge.tsx';
import { Surface } from '../../components/surface.tsx';
import { Switch } from '../../components/switch.tsx';
import { TextArea } from '../../components/text-area.tsx';
import { TextField } from '../../components/text-field.tsx';
import { classNames } from '../../lib/class-names.ts';
import type { ShareField, ShareForm } from './share-form.ts';
import type { Plan } from './upload-limits.ts';

type ShareSettingsProps = {
  form: UseFormReturn<ShareForm>;
  plan: Plan;
  /** While files are under way. */
  isLocked: boolean;
  /** There is something to send: the upload button stays in view. */
  isButtonSticky: boolean;
  onSubmit: () => void;
  /** The upload button. */
  children: ReactNode;
};

/** Everything a sender decides about a transfer (specification section 2, "Upload page"). */
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
          Share Settings
        </h2>
        {isLocked && (
          <p className="mt-2 flex items-center gap-2 text-sm text-ink-soft">
            <Lock aria-hidden="true" className="size-4 shrink-0" />
            Settled for this upload
          </p>
        )}
        {/* The button stays in view; fields that take the focus keep clear of it (WCAG 2.4.11). */}
        <fieldset
          disabled={isLocked}
          className="mt-5 flex flex-col gap-5 [&_input]:scroll-mb-28 [&_textarea]:scroll-mb-28"
        >
          <legend className="sr-only">Share Settings</legend>
          <Basics form={form} />
          <hr />
          <Expiry form={form} plan={plan} />
          <hr />
          <Protection form={form} plan={plan} />
          {tierIncludes(plan.tier, 'schedule') && (
            <>
              <hr />
              <Schedule form={form} />
            </>
          )}
        </fieldset>
        <div
          className={classNames(
            '-mx-5 mt-7 -mb-5 rounded-b-lg border-t border-line bg-surface p-4 sm:-mx-6 sm:-mb-6',
            isButtonSticky && 'sticky bottom-0',
          )}
        >
          {children}
        </div>
      </Surface>
    </form>
  );
}

/** Name, error and everything else react-hook-form wants of a field. */
function bind({ register, formState: { errors } }: UseFormReturn<ShareForm>, name: ShareField) {
  return { ...register(name), error: errors[name]?.message };
}

function Basics({ form }: { form: UseFormReturn<ShareForm> }) {
  return (
    <>
      <TextField label="Title" isOptional maxLength={TITLE_MAX} autoComplete="off" {...bind(form, 'title')} />
      <TextArea label="Message" isOptional rows={3} maxLength={MESSAGE_MAX} {...bind(form, 'message')} />
      <TextField
        label="Recipient e-mails"
        isOptional
        hint="Separate addresses with commas. Each gets the link by e-mail."
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...bind(form, 'recipients')}
      />
    </>
  );
}

function Expiry({ form, plan }: { form: UseFormReturn<ShareForm>; plan: Plan }) {
  const longest = clampExpirationDays(undefined, plan.limits.retentionDays);
  const [date, time] = form.watch(['expiryDate', 'expiryTime']);
  const isExact = Boolean(date && time);
  return (
    <>
      <TextField
        label="Expiration days"
        type="number"
        inputMode="numeric"
        min={1}
        max={longest}
        hint={isExact ? 'The date and time below count instead.' : `1 to ${longest} days on your plan`}
        {...bind(form, 'expirationDays')}
      />
      <div className="grid gap-3 min-[23rem]:grid-cols-[1.35fr_1fr]">
        <TextField
          label="Expiry date"
          type="date"
          min={localDate(0)}
          max={localDate(longest)}
          {...bind(form, 'expiryDate')}
        />
        <TextField label="Expiry time" type="time" {...bind(form, 'expiryTime')} />
        <p className="col-span-full -mt-1 text-sm text-ink-faint">
          Optional; used when both date and time are filled.
        </p>
      </div>
    </>
  );
}

function Protection({ form, plan }: { form: UseFormReturn<ShareForm>; plan: Plan }) {
  const mayProtect = tierIncludes(plan.tier, 'password');
  const hasLimit = Boolean(form.watch('maxDownloads'));
  return (
    <>
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        maxLength={TRANSFER_PASSWORD_MAX}
        disabled={!mayProtect}
        isOptional={mayProtect}
        aside={mayProtect ? undefined : <Badge>Pro Feature</Badge>}
        hint={mayProtect ? undefined : <UpgradeHint />}
        {...bind(form, 'password')}
      />
      {tierIncludes(plan.tier, 'maxDownloads') && (
        <TextField
          label="Download limit"
          type="number"
          inputMode="numeric"
          min={1}
          isOptional
          hint="After so many downloads the link closes."
          {...bind(form, 'maxDownloads')}
        />
      )}
      {tierIncludes(plan.tier, 'autoDelete') && (
        <Switch
          label="Auto-delete"
          aside={<Badge>Pro Feature</Badge>}
          hint={hasLimit ? 'Deletes the files once the limit is reached.' : 'Set a download limit first.'}
          disabled={!hasLimit}
          {...form.register('autoDelete')}
        />
      )}
    </>
  );
}

function UpgradeHint() {
  const { label, tier } = FEATURES.password;
  return (
    <>
      {label} comes with the {tierLabel(tier)} plan.{' '}
      <Link to="/pricing" className="link">
        Upgrade
      </Link>
    </>
  );
}

function Schedule({ form }: { form: UseFormReturn<ShareForm> }) {
  const hasDate = Boolean(form.watch('scheduledDate'));
  return (
    <div className="grid gap-3 min-[23rem]:grid-cols-[1.35fr_1fr]">
      <TextField label="Schedule date" type="date" min={localDate(0)} {...bind(form, 'scheduledDate')} />
      <TextField label="Schedule time" type="time" disabled={!hasDate} {...bind(form, 'scheduledTime')} />
      <p className="col-span-full -mt-1 text-sm text-ink-faint">
        Optional; downloads open then. Without a time, at the start of the day.
      </p>
    </div>
  );
}

/** A day from today on, as date fields want it. */
function localDate(daysAhead: number): string {
  const day = new Date();
  day.setDate(day.getDate() + daysAhead);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${pad(day.getMonth() + 1)}-${pad(day.getDate())}`;
}
