import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import {
  INVITATION_FILES_DEFAULT,
  INVITATION_TOTAL_FILES_MAX,
  MAX_FILES_PER_TRANSFER,
} from '../../../contracts/plans/limits.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { bindField } from '../../api/forms/contract-form.ts';
import { Switch } from '../../components/form/switch.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { type InvitationForm, LIMIT_FIELDS, toInvitationForm } from './invitation-form.ts';

type FormProps = { form: UseFormReturn<InvitationForm> };

/** Collapsed, because the plan's limits suit most invitations. */
export function Limits({ form, planBytes }: FormProps & { planBytes: number | undefined }) {
  const { errors, submitCount } = form.formState;
  const [isOpen, setOpen] = useState(() => hasOwnLimits(form.getValues()));
  const isWrong = LIMIT_FIELDS.some((field) => errors[field]);
  // Open the section to show errors.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on every submit, even with the same error.
  useEffect(() => {
    if (isWrong) setOpen(true);
  }, [isWrong, submitCount]);
  const planLimit = planBytes === undefined ? undefined : formatSize(planBytes);
  const planHint = planLimit && t`Leave empty for your plan's limit of ${planLimit}`;
  const defaultFiles = formatCount(INVITATION_FILES_DEFAULT);
  return (
    <details
      className="group rounded-md border border-line-firm"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex list-none items-center gap-2 rounded-md px-4 py-3 font-medium transition-colors duration-(--quick) hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="-ml-1 size-5 shrink-0 text-ink-faint transition-[rotate] duration-(--brisk) group-open:rotate-90"
        />
        <Trans>Limits per visitor</Trans>
        <span className="ml-auto text-xs font-normal text-ink-faint">
          <Trans>optional</Trans>
        </span>
      </summary>
      <div className="grid gap-5 px-4 pt-2 pb-5 sm:grid-cols-2">
        <p className="text-sm text-ink-soft sm:col-span-2">
          <Trans>Everyone who confirms an email address may send this much.</Trans>
        </p>
        <TextField
          label={t`Max file size`}
          placeholder="5GB"
          autoComplete="off"
          hint={planHint}
          {...bindField(form, 'maxFileSize')}
        />
        <TextField
          label={t`Max total size`}
          placeholder="20GB"
          autoComplete="off"
          hint={planHint}
          {...bindField(form, 'maxTotalSize')}
        />
        <TextField
          label={t`Max files`}
          type="number"
          inputMode="numeric"
          min={1}
          max={MAX_FILES_PER_TRANSFER}
          hint={t`Leave empty for ${defaultFiles}`}
          {...bindField(form, 'maxFiles')}
        />
        <TextField
          label={t`Allowed file types`}
          placeholder="pdf, jpg, docx"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint={t`Leave empty for any type`}
          {...bindField(form, 'allowedTypes')}
        />
        <Switch
          className="sm:col-span-2"
          label={t`Recurring use`}
          hint={t`These limits start again with each visit.`}
          {...form.register('isRecurring')}
        />
      </div>
    </details>
  );
}

function hasOwnLimits(typed: InvitationForm): boolean {
  const usual = toInvitationForm(undefined);
  return LIMIT_FIELDS.some((field) => typed[field] !== usual[field]);
}

/** A second limit, for all visitors together. */
export function TotalLimit({ form }: FormProps) {
  const hasTotal = form.watch('hasTotal');
  return (
    <fieldset className="rounded-md border border-line-firm px-4 py-3">
      <legend className="sr-only">
        <Trans>Limit for all visitors</Trans>
      </legend>
      <Switch
        label={t`Also limit the total`}
        hint={t`What all visitors together may send.`}
        {...form.register('hasTotal')}
      />
      {hasTotal && (
        <div className="grid gap-5 pt-4 pb-2 sm:grid-cols-2">
          <TextField
            label={t`Files in total`}
            type="number"
            inputMode="numeric"
            min={1}
            max={INVITATION_TOTAL_FILES_MAX}
            hint={t`Leave empty for any number`}
            {...bindField(form, 'totalFilesLimit')}
          />
          <TextField
            label={t`Size in total`}
            placeholder="100GB"
            autoComplete="off"
            hint={t`Leave empty for any size`}
            {...bindField(form, 'totalBytesLimit')}
          />
        </div>
      )}
    </fieldset>
  );
}
