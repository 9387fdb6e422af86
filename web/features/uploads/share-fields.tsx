import { useState } from 'react';
import { type UseFormReturn, useController } from 'react-hook-form';
import { Link } from 'react-router';
import {
  clampExpirationDays,
  MESSAGE_MAX,
  RECIPIENTS_MAX,
  TITLE_MAX,
  TRANSFER_PASSWORD_MAX,
} from '../../../contracts/plans/limits.ts';
import { FEATURES, maxDownloadsOf, tierIncludes, tierLabel } from '../../../contracts/plans/tiers.ts';
import { Badge } from '../../components/badge.tsx';
import { EmailsField } from '../../components/emails-field.tsx';
import { Switch } from '../../components/switch.tsx';
import { TextArea } from '../../components/text-area.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useBlurAfterPress } from '../../components/use-blur-after-press.ts';
import { daysOf, type ShareField, type ShareForm } from './share-form.ts';
import type { Plan } from './upload-limits.ts';

type FieldsProps = { form: UseFormReturn<ShareForm>; plan: Plan };

/** What it is, and who gets it. */
export function Basics({ form }: Pick<FieldsProps, 'form'>) {
  const { field, fieldState } = useController({ control: form.control, name: 'recipients' });
  return (
    <>
      <TextField label="Title" isOptional maxLength={TITLE_MAX} autoComplete="off" {...bind(form, 'title')} />
      <TextArea label="Message" isOptional rows={3} maxLength={MESSAGE_MAX} {...bind(form, 'message')} />
      <EmailsField
        label="Recipient e-mails"
        isOptional
        hint="Separate addresses with commas. Each gets the link by e-mail."
        max={RECIPIENTS_MAX}
        error={fieldState.error?.message}
        {...field}
      />
    </>
  );
}

/** Days, or an exact end that counts only with its date and its time. */
export function Expiry({ form, plan }: FieldsProps) {
  const longest = clampExpirationDays(undefined, plan.limits.retentionDays);
  const [date, time] = form.watch(['expiryDate', 'expiryTime']);
  return (
    <>
      <ExpirationDays form={form} longest={longest} isReplaced={Boolean(date && time)} />
      <div className="grid gap-3 min-[23rem]:grid-cols-[1.35fr_1fr]">
        <TextField
          label="Expiry date"
          type="date"
          min={localDate(0)}
          max={localDate(longest)}
          {...bind(form, 'expiryDate')}
        />
        <TextField label="Expiry time" type="time" {...bind(form, 'expiryTime')} />
        <p className="col-span-full -mt-1 text-sm text-ink-faint" aria-live="polite">
          {describeExpiry(date, time)}
        </p>
      </div>
    </>
  );
}

type ExpirationDaysProps = { form: UseFormReturn<ShareForm>; longest: number; isReplaced: boolean };

/** A number outside the plan is ignored (specification section 5), and the field says so. */
function ExpirationDays({ form, longest, isReplaced }: ExpirationDaysProps) {
  const [ignored, setIgnored] = useState<string>();
  const days = form.watch('expirationDays');
  const range = longest === 1 ? '1 day' : `1 to ${longest} days`;
  const settle = useBlurAfterPress(() => {
    const honoured = String(daysOf({ expirationDays: days }, longest));
    if (honoured === days) return;
    setIgnored(days);
    form.setValue('expirationDays', honoured);
  });
  return (
    <TextField
      label="Expiration days"
      type="number"
      inputMode="numeric"
      min={1}
      max={longest}
      hint={
        <span aria-live="polite">
          {isReplaced
            ? 'The date and time below count instead.'
            : ignored
              ? `${range} on your plan: ${ignored} was not taken.`
              : `${range} on your plan`}
        </span>
      }
      {...bind(form, 'expirationDays', { onChange: () => setIgnored(undefined), onBlur: settle })}
    />
  );
}

function describeExpiry(date: string, time: string): string {
  if (date && !time) return 'Add a time as well. Until then the expiration days count.';
  if (time && !date) return 'Add a date as well. Until then the expiration days count.';
  return 'Optional; used when both date and time are filled.';
}

/** Password, and for plans that have them download limit and auto-delete. */
export function Protection({ form, plan }: FieldsProps) {
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
          max={maxDownloadsOf(plan.tier)}
          hint={`After so many downloads the link closes. At most ${maxDownloadsOf(plan.tier).toLocaleString('en')}.`}
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

/** When downloads open; the time waits for its date. */
export function Schedule({ form }: Pick<FieldsProps, 'form'>) {
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

type BindOptions = Parameters<UseFormReturn<ShareForm>['register']>[1];

/** Name, error and everything else react-hook-form wants of a field. */
function bind(
  { register, formState: { errors } }: UseFormReturn<ShareForm>,
  name: ShareField,
  options?: BindOptions,
) {
  return { ...register(name, options), error: errors[name]?.message };
}

/** A day from today on, as date fields want it. */
function localDate(daysAhead: number): string {
  const day = new Date();
  day.setDate(day.getDate() + daysAhead);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${pad(day.getMonth() + 1)}-${pad(day.getDate())}`;
}
