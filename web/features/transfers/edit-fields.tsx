import type { ReactNode } from 'react';
import { type UseFormReturn, useController } from 'react-hook-form';
import { Link } from 'react-router';
import {
  clampExpirationDays,
  MESSAGE_MAX,
  RECIPIENTS_MAX,
  TITLE_MAX,
  TRANSFER_PASSWORD_MAX,
} from '../../../contracts/limits.ts';
import { FEATURES, type Feature, maxDownloadsOf, tierIncludes, tierLabel } from '../../../contracts/tiers.ts';
import type { Transfer } from '../../../contracts/transfers.ts';
import { Badge } from '../../components/badge.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { EmailsField } from '../../components/emails-field.tsx';
import { Select } from '../../components/select.tsx';
import { Switch } from '../../components/switch.tsx';
import { TextArea } from '../../components/text-area.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toLocalDateTime } from '../../lib/local-date-time.ts';
import type { EditField, EditForm, EditPlan } from './edit-form.ts';
import { formatDateTime } from './wording.ts';

type FormProps = { form: UseFormReturn<EditForm> };
type SettingsProps = FormProps & { plan: EditPlan; transfer: Transfer };

const DAY_MS = 86_400_000;
const TWO_FIELDS = 'grid gap-3 min-[23rem]:grid-cols-[1.35fr_1fr]';

/** What it is, and who gets it. */
export function Basics({ form }: FormProps) {
  const { field, fieldState } = useController({ control: form.control, name: 'recipients' });
  return (
    <>
      <TextField label="Title" isOptional maxLength={TITLE_MAX} autoComplete="off" {...bind(form, 'title')} />
      <TextArea label="Message" isOptional rows={3} maxLength={MESSAGE_MAX} {...bind(form, 'message')} />
      <EmailsField
        label="Recipient e-mails"
        isOptional
        hint="Who is new gets the link by e-mail. A mail that was sent cannot be taken back."
        max={RECIPIENTS_MAX}
        error={fieldState.error?.message}
        {...field}
      />
    </>
  );
}

/** As it is, in days from now, or an exact end. */
export function Expiry({ form, plan, transfer: { expiresAt } }: SettingsProps) {
  const longest = clampExpirationDays(undefined, plan.retentionDays);
  const expiry = form.watch('expiry');
  const present = expiresAt ? formatDateTime(expiresAt) : 'never';
  return (
    <>
      <Select
        label="Expires"
        options={[
          { value: 'keep', label: `As it is (${present})` },
          { value: 'days', label: 'In days from now' },
          { value: 'date', label: 'At a date and time' },
        ]}
        {...form.register('expiry')}
      />
      {expiry === 'days' && (
        <TextField
          label="Days from now"
          type="number"
          inputMode="numeric"
          min={1}
          max={longest}
          hint={`1 to ${longest} days on your plan`}
          {...bind(form, 'expirationDays')}
        />
      )}
      {expiry === 'date' && (
        <div className={TWO_FIELDS}>
          <TextField
            label="Expiry date"
            type="date"
            min={today()}
            max={toLocalDateTime(Date.now() + longest * DAY_MS).date}
            {...bind(form, 'expiryDate')}
          />
          <TextField label="Expiry time" type="time" {...bind(form, 'expiryTime')} />
        </div>
      )}
    </>
  );
}

/** Password, download limit and auto-delete; what is set can be taken away on every plan. */
export function Protection({ form, plan, transfer }: SettingsProps) {
  const { isPasswordProtected, maxDownloads } = transfer;
  const password = gateOf('password', plan);
  const limit = gateOf('maxDownloads', plan);
  const [removesPassword, removesLimit, typedLimit] = form.watch([
    'removesPassword',
    'removesLimit',
    'maxDownloads',
  ]);
  const mayAutoDelete = tierIncludes(plan.tier, 'autoDelete') || transfer.autoDeleteAfterDownloads;
  const hasLimit = Boolean(typedLimit) && !removesLimit;
  return (
    <>
      <Removable
        isSet={isPasswordProtected}
        checkbox={<Checkbox label="Remove the password" {...form.register('removesPassword')} />}
      >
        <TextField
          label={isPasswordProtected ? 'New password' : 'Password'}
          type="password"
          autoComplete="new-password"
          maxLength={TRANSFER_PASSWORD_MAX}
          disabled={!password.isIncluded || removesPassword}
          aside={password.badge}
          isOptional
          hint={
            password.hint ??
            (isPasswordProtected ? 'Leave this empty to keep the password that is set.' : undefined)
          }
          {...bind(form, 'password')}
        />
      </Removable>
      <Removable
        isSet={maxDownloads !== null && !limit.isIncluded}
        checkbox={<Checkbox label="Remove the download limit" {...form.register('removesLimit')} />}
      >
        <TextField
          label="Download limit"
          type="number"
          inputMode="numeric"
          min={1}
          isOptional
          disabled={!limit.isIncluded}
          aside={limit.badge}
          hint={
            limit.hint ??
            `After so many downloads the link closes. At most ${maxDownloadsOf(plan.tier).toLocaleString('en')}; empty: no limit.`
          }
          {...bind(form, 'maxDownloads')}
        />
      </Removable>
      <Switch
        label="Auto-delete"
        aside={<Badge>Pro Feature</Badge>}
        hint={hasLimit ? 'Deletes the files once the limit is reached.' : 'Set a download limit first.'}
        disabled={!mayAutoDelete || !hasLimit}
        {...form.register('autoDelete')}
      />
    </>
  );
}

/** Date first; its time can be chosen then. */
export function Schedule({ form, plan, transfer }: SettingsProps) {
  const { isIncluded, badge, hint } = gateOf('schedule', plan);
  const hasDate = Boolean(form.watch('scheduledDate'));
  return (
    <Removable
      isSet={transfer.scheduledAvailableAt !== null && !isIncluded}
      checkbox={<Checkbox label="Remove the schedule" {...form.register('removesSchedule')} />}
    >
      <div className={TWO_FIELDS}>
        <TextField
          label="Schedule date"
          type="date"
          min={today()}
          disabled={!isIncluded}
          aside={badge}
          {...bind(form, 'scheduledDate')}
        />
        <TextField
          label="Schedule time"
          type="time"
          disabled={!isIncluded || !hasDate}
          {...bind(form, 'scheduledTime')}
        />
        <p className="col-span-full -mt-1 text-sm text-ink-faint">
          {hint ?? 'Downloads open then; without a time, at the start of the day. Empty: at once.'}
        </p>
      </div>
    </Removable>
  );
}

/** What the plan does not have is shown, not offered. */
function gateOf(feature: Feature, { tier }: EditPlan) {
  if (tierIncludes(tier, feature)) return { isIncluded: true, badge: undefined, hint: undefined };
  const { label, tier: needed } = FEATURES[feature];
  const hint = (
    <>
      {label} comes with the {tierLabel(needed)} plan.{' '}
      <Link to="/pricing" className="link">
        Upgrade
      </Link>
    </>
  );
  return { isIncluded: false, badge: <Badge>Pro Feature</Badge>, hint };
}

type RemovableProps = { isSet: boolean; checkbox: ReactNode; children: ReactNode };

function Removable({ isSet, checkbox, children }: RemovableProps) {
  return (
    <div className="flex flex-col gap-3">
      {children}
      {isSet && checkbox}
    </div>
  );
}

/** Name, error and everything else react-hook-form wants of a field. */
function bind({ register, formState: { errors } }: UseFormReturn<EditForm>, name: EditField) {
  return { ...register(name), error: errors[name]?.message };
}

function today(): string {
  return toLocalDateTime(Date.now()).date;
}
