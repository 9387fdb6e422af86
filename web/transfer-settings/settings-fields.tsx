import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { type UseFormReturn, useController } from 'react-hook-form';
import { RECIPIENTS_MAX, TRANSFER_PASSWORD_MAX } from '../../contracts/plans/limits.ts';
import { FEATURES, maxDownloadsOf, tierIncludes, tierLabel } from '../../contracts/plans/tiers.ts';
import {
  canSet,
  maxExpirationDays,
  type PaidSetting,
} from '../../contracts/transfers/settings/settings-rules.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { formatCount } from '../../contracts/values/format.ts';
import { bindField, describeError } from '../api/forms/contract-form.ts';
import { Badge } from '../components/feedback/badge.tsx';
import { Checkbox } from '../components/form/checkbox.tsx';
import { EmailsField } from '../components/form/emails-field.tsx';
import { Select } from '../components/form/select.tsx';
import { Switch } from '../components/form/switch.tsx';
import { TextField } from '../components/form/text-field.tsx';
import { useBlurAfterPress } from '../components/form/use-blur-after-press.ts';
import { Link } from '../lib/routing.tsx';
import { formatDateTime } from '../lib/time/format-dates.ts';
import { toLocalDateTime } from '../lib/time/relative-time.ts';
import { LimitedPreviews } from './limited-previews.tsx';
import {
  effectiveDays,
  listExisting,
  type SavedSettings,
  type SettingsForm,
  type SettingsPlan,
} from './settings-form.ts';
import { TitleAndMessage } from './title-and-message.tsx';

export { EncryptionField } from './encryption-field.tsx';

type FieldsProps = {
  form: UseFormReturn<SettingsForm>;
  plan: SettingsPlan;
  /** The transfer being edited; absent for a new one. */
  transfer?: SavedSettings | undefined;
  /** End to end, so the server gets neither names nor the password. */
  isEncrypted?: boolean;
  /**
   * When this browser can change title and message of an encrypted transfer. They are in its manifest, which the sender
   * writes for the last time when all files have arrived.
   */
  textEdits?: 'now' | 'after-arrival' | 'never';
  /** The password became part of the key. */
  isPasswordFixed?: boolean;
};

const TWO_FIELDS = 'grid gap-3 min-[23rem]:grid-cols-[1.35fr_1fr]';

/** All settings of a transfer. */
export function SettingsFields(props: FieldsProps) {
  const { form, transfer, isEncrypted = false, textEdits = 'never' } = props;
  return (
    <>
      {isEncrypted && textEdits !== 'now' ? (
        <p className="text-sm text-ink-soft">
          {textEdits === 'after-arrival' ? (
            <Trans>
              This transfer is end-to-end encrypted. Its title and message can be changed once all files have
              arrived. Its password stays as it is.
            </Trans>
          ) : (
            <Trans>
              This transfer is end-to-end encrypted. Its title, message and password are sealed and stay as
              they are.
            </Trans>
          )}
        </p>
      ) : (
        <TitleAndMessage
          title={bindField(form, 'title')}
          message={bindField(form, 'message')}
          isTitleOptional
        />
      )}
      <Recipients form={form} isSent={transfer !== undefined} isEncrypted={isEncrypted} />
      <hr />
      <OptionFields {...props} />
    </>
  );
}

/**
 * Expiry, password, limit and schedule. A new transfer shows what the plan includes. A transfer being edited shows
 * every setting, because it may have some from an earlier plan. While it is arriving, it has no expiry yet.
 */
export function OptionFields(props: FieldsProps) {
  const { plan, transfer, isEncrypted = false } = props;
  return (
    <>
      {transfer?.status !== 'arriving' && (
        <>
          {transfer ? <ChangedExpiry {...props} transfer={transfer} /> : <NewExpiry {...props} />}
          <hr />
        </>
      )}
      {!(transfer && isEncrypted) && <Password {...props} />}
      <DownloadLimit {...props} />
      {(transfer || tierIncludes(plan.tier, 'schedule')) && (
        <>
          <hr />
          <Schedule {...props} />
        </>
      )}
    </>
  );
}

export function Recipients({
  form,
  isSent,
  isEncrypted = false,
}: Pick<FieldsProps, 'form' | 'isEncrypted'> & { isSent: boolean }) {
  const { field, fieldState } = useController({ control: form.control, name: 'recipients' });
  return (
    <EmailsField
      label={t`Recipient e-mails`}
      isOptional
      hint={
        isEncrypted
          ? t`They are told by email, but the email has no key. Send them the key yourself.`
          : isSent
            ? t`New recipients get the link by email. Sent emails can’t be recalled.`
            : t`Separate addresses with commas. Each gets the link by email.`
      }
      max={RECIPIENTS_MAX}
      error={describeError(fieldState.error)}
      {...field}
    />
  );
}

/** Days, or an exact time that counts only if both date and time are filled in. */
function NewExpiry({ form, plan }: FieldsProps) {
  const longest = maxExpirationDays(plan.retentionDays);
  const [date, time] = form.watch(['expiryDate', 'expiryTime']);
  return (
    <>
      <NewExpirationDays form={form} longest={longest} isReplaced={Boolean(date && time)} />
      <div className={TWO_FIELDS}>
        <ExpiryTime form={form} longest={longest} />
        <p className="col-span-full -mt-1 text-sm text-ink-faint" aria-live="polite">
          {describeExactExpiry(date, time)}
        </p>
      </div>
    </>
  );
}

type NewExpirationDaysProps = Pick<FieldsProps, 'form'> & { longest: number; isReplaced: boolean };

/** Replaces a number outside the plan's range when the field loses focus, and says so. */
function NewExpirationDays({ form, longest, isReplaced }: NewExpirationDaysProps) {
  const [isCorrected, setIsCorrected] = useState(false);
  const days = form.watch('expirationDays');
  const range = longest === 1 ? t`1 day` : t`1 to ${longest} days`;
  const correctDays = useBlurAfterPress(() => {
    const effective = String(effectiveDays({ expirationDays: days }, longest));
    if (effective === days) return;
    setIsCorrected(true);
    form.setValue('expirationDays', effective);
  });
  return (
    <TextField
      label={t`Expiration days`}
      type="number"
      inputMode="numeric"
      min={1}
      max={longest}
      hint={
        <span aria-live="polite">
          {isReplaced
            ? t`The date and time below are used instead.`
            : isCorrected
              ? t`Your plan allows ${range}, so we set it to ${days}.`
              : t`${range} on your plan`}
        </span>
      }
      {...bindField(form, 'expirationDays', {
        onChange: () => setIsCorrected(false),
        onBlur: correctDays,
      })}
    />
  );
}

function describeExactExpiry(date: string, time: string): string {
  if (date && !time) return t`Add a time as well. Until then, the expiration days apply.`;
  if (time && !date) return t`Add a date as well. Until then, the expiration days apply.`;
  return t`Optional; used when both date and time are filled.`;
}

function ChangedExpiry({ form, plan, transfer }: FieldsProps & { transfer: SavedSettings }) {
  const longest = maxExpirationDays(plan.retentionDays);
  const expiry = form.watch('expiry');
  const current = transfer.expiresAt ? formatDateTime(transfer.expiresAt) : t`never`;
  return (
    <>
      <Select
        label={t`Expires`}
        options={[
          { value: 'keep', label: t`As it is (${current})` },
          { value: 'days', label: t`In days from now` },
          { value: 'date', label: t`At a date and time` },
        ]}
        {...form.register('expiry')}
      />
      {expiry === 'days' && (
        <TextField
          label={t`Days from now`}
          type="number"
          inputMode="numeric"
          min={1}
          max={longest}
          hint={t`1 to ${longest} days on your plan`}
          {...bindField(form, 'expirationDays')}
        />
      )}
      {expiry === 'date' && (
        <div className={TWO_FIELDS}>
          <ExpiryTime form={form} longest={longest} />
        </div>
      )}
    </>
  );
}

function ExpiryTime({ form, longest }: Pick<FieldsProps, 'form'> & { longest: number }) {
  return (
    <>
      <TextField
        label={t`Expiry date`}
        type="date"
        min={today()}
        max={toLocalDateTime(Date.now() + longest * DAY_MS).date}
        {...bindField(form, 'expiryDate')}
      />
      <TextField label={t`Expiry time`} type="time" {...bindField(form, 'expiryTime')} />
    </>
  );
}

function Password({ form, plan, transfer, isEncrypted, isPasswordFixed = false }: FieldsProps) {
  const access = describeAccess('password', plan, transfer);
  const hasPassword = transfer?.isPasswordProtected ?? false;
  const removesPassword = form.watch('removesPassword');
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label={hasPassword ? t`New password` : t`Password`}
        type="password"
        autoComplete="new-password"
        maxLength={TRANSFER_PASSWORD_MAX}
        disabled={!access.isOpen || removesPassword || isPasswordFixed}
        isOptional={access.isOpen || transfer !== undefined}
        aside={access.badge}
        hint={
          access.hint ??
          (hasPassword
            ? t`Leave this empty to keep the password that is set.`
            : isEncrypted
              ? t`It becomes part of the key and is never sent to the server, so nobody can reset it.`
              : undefined)
        }
        {...bindField(form, 'password')}
      />
      {hasPassword && <Checkbox label={t`Remove the password`} {...form.register('removesPassword')} />}
    </div>
  );
}

/** The limit, and auto-delete, which needs one. */
function DownloadLimit({ form, plan, transfer }: FieldsProps) {
  const access = describeAccess('maxDownloads', plan, transfer);
  const autoDelete = describeAccess('autoDelete', plan, transfer);
  const hasLimit = Boolean(form.watch('maxDownloads'));
  const highest = formatCount(maxDownloadsOf(plan.tier));
  return (
    <>
      {(transfer || access.isOpen) && (
        <TextField
          label={t`Download limit`}
          type="number"
          inputMode="numeric"
          min={1}
          max={transfer ? undefined : maxDownloadsOf(plan.tier)}
          isOptional
          disabled={!access.isOpen}
          aside={access.badge}
          hint={
            access.hint ??
            (transfer
              ? t`The link closes after this many downloads. At most ${highest}; leave it empty for no limit.`
              : t`The link closes after this many downloads. At most ${highest}.`)
          }
          {...bindField(form, 'maxDownloads')}
        />
      )}
      {hasLimit && tierIncludes(plan.tier, 'previews') && (
        <LimitedPreviews className="-mt-2 text-sm text-ink-faint" />
      )}
      {(transfer || autoDelete.isOpen) && (
        <Switch
          label={t`Auto-delete`}
          aside={
            <Badge>
              <Trans>Pro Feature</Trans>
            </Badge>
          }
          hint={hasLimit ? t`Deletes the files once the limit is reached.` : t`Set a download limit first.`}
          disabled={!autoDelete.isOpen || !hasLimit}
          {...form.register('autoDelete')}
        />
      )}
    </>
  );
}

/** When downloads open. The time can be chosen once there is a date. */
function Schedule({ form, plan, transfer }: FieldsProps) {
  const { isOpen, badge, hint } = describeAccess('schedule', plan, transfer);
  const hasDate = Boolean(form.watch('scheduledDate'));
  return (
    <div className={TWO_FIELDS}>
      <TextField
        label={t`Schedule date`}
        type="date"
        min={today()}
        disabled={!isOpen}
        aside={badge}
        {...bindField(form, 'scheduledDate')}
      />
      <TextField
        label={t`Schedule time`}
        type="time"
        disabled={!isOpen || !hasDate}
        {...bindField(form, 'scheduledTime')}
      />
      <p className="col-span-full -mt-1 text-sm text-ink-faint">
        {hint ??
          (transfer
            ? t`Downloads open at this time; without a time, at the start of the day. If empty, immediately.`
            : t`Optional. Downloads open at this time; without a time, at the start of the day.`)}
      </p>
    </div>
  );
}

/** Whether a setting can be used, and what the field says if the plan doesn't include it. */
function describeAccess(setting: PaidSetting, { tier }: SettingsPlan, transfer: SavedSettings | undefined) {
  if (tierIncludes(tier, setting)) return { isOpen: true, badge: undefined, hint: undefined };
  const badge = (
    <Badge>
      <Trans>Pro Feature</Trans>
    </Badge>
  );
  if (canSet(setting, tier, listExisting(transfer)))
    return { isOpen: true, badge, hint: t`Set on an earlier plan. You can still change or remove it.` };
  const { label, tier: needed } = FEATURES[setting];
  const hint = (
    <>
      <Trans>
        {label} comes with the {tierLabel(needed)} plan.{' '}
        <Link to="/pricing" className="link">
          Upgrade
        </Link>
      </Trans>
    </>
  );
  return { isOpen: false, badge, hint };
}

function today(): string {
  return toLocalDateTime(Date.now()).date;
}
