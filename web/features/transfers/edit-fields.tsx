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
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { Badge } from '../../components/badge.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { EmailsField } from '../../components/emails-field.tsx';
import { Select } from '../../components/select.tsx';
import { Switch } from '../../components/switch.tsx';
import { TextArea } from '../../components/text-area.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toLocalDateTime } from '../../lib/local-date-time.ts';
import { type EditField, type EditForm, type EditPlan, mayChange } from './edit-form.ts';
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

/** Password, download limit and auto-delete. An empty limit removes it. */
export function Protection({ form, plan, transfer }: SettingsProps) {
  const { isPasswordProtected } = transfer;
  const password = gateOf('password', transfer, plan);
  const limit = gateOf('maxDownloads', transfer, plan);
  const [removesPassword, typedLimit] = form.watch(['removesPassword', 'maxDownloads']);
  const hasLimit = Boolean(typedLimit);
  return (
    <>
      <div className="flex flex-col gap-3">
        <TextField
          label={isPasswordProtected ? 'New password' : 'Password'}
          type="password"
          autoComplete="new-password"
          maxLength={TRANSFER_PASSWORD_MAX}
          disabled={!password.isOpen || removesPassword}
          aside={password.badge}
          isOptional
          hint={
            password.hint ??
            (isPasswordProtected ? 'Leave this empty to keep the password that is set.' : undefined)
          }
          {...bind(form, 'password')}
        />
        {isPasswordProtected && (
          <Checkbox label="Remove the password" {...form.register('removesPassword')} />
        )}
      </div>
      <TextField
        label="Download limit"
        type="number"
        inputMode="numeric"
        min={1}
        isOptional
        disabled={!limit.isOpen}
        aside={limit.badge}
        hint={
          limit.hint ??
          `After so many downloads the link closes. At most ${maxDownloadsOf(plan.tier).toLocaleString('en')}; empty: no limit.`
        }
        {...bind(form, 'maxDownloads')}
      />
      <Switch
        label="Auto-delete"
        aside={<Badge>Pro Feature</Badge>}
        hint={hasLimit ? 'Deletes the files once the limit is reached.' : 'Set a download limit first.'}
        disabled={!mayChange('autoDelete', transfer, plan) || !hasLimit}
        {...form.register('autoDelete')}
      />
    </>
  );
}

/** Date first; its time can be chosen then. An empty date removes the schedule. */
export function Schedule({ form, plan, transfer }: SettingsProps) {
  const { isOpen, badge, hint } = gateOf('schedule', transfer, plan);
  const hasDate = Boolean(form.watch('scheduledDate'));
  return (
    <div className={TWO_FIELDS}>
      <TextField
        label="Schedule date"
        type="date"
        min={today()}
        disabled={!isOpen}
        aside={badge}
        {...bind(form, 'scheduledDate')}
      />
      <TextField
        label="Schedule time"
        type="time"
        disabled={!isOpen || !hasDate}
        {...bind(form, 'scheduledTime')}
      />
      <p className="col-span-full -mt-1 text-sm text-ink-faint">
        {hint ?? 'Downloads open then; without a time, at the start of the day. Empty: at once.'}
      </p>
    </div>
  );
}

/**
 * What neither the plan nor the transfer has is shown, not offered. What the transfer has from an earlier plan stays
 * open, with a word about it.
 */
function gateOf(feature: 'password' | 'maxDownloads' | 'schedule', transfer: Transfer, plan: EditPlan) {
  if (tierIncludes(plan.tier, feature)) return { isOpen: true, badge: undefined, hint: undefined };
  const badge = <Badge>Pro Feature</Badge>;
  if (mayChange(feature, transfer, plan))
    return { isOpen: true, badge, hint: 'Set on an earlier plan. You can still change or remove it.' };
  const { label, tier: needed } = FEATURES[feature];
  const hint = (
    <>
      {label} comes with the {tierLabel(needed)} plan.{' '}
      <Link to="/pricing" className="link">
        Upgrade
      </Link>
    </>
  );
  return { isOpen: false, badge, hint };
}

/** Name, error and everything else react-hook-form wants of a field. */
function bind({ register, formState: { errors } }: UseFormReturn<EditForm>, name: EditField) {
  return { ...register(name), error: errors[name]?.message };
}

function today(): string {
  return toLocalDateTime(Date.now()).date;
}
