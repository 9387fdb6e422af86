import { ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import {
  INVITATION_DAYS_MAX,
  INVITATION_FILES_DEFAULT,
  MAX_FILES_PER_TRANSFER,
  MESSAGE_MAX,
  TITLE_MAX,
} from '../../../contracts/plans/limits.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Switch } from '../../components/switch.tsx';
import { TextArea } from '../../components/text-area.tsx';
import { TextField } from '../../components/text-field.tsx';
import {
  type InvitationField,
  type InvitationForm,
  LIMIT_FIELDS,
  toInvitationForm,
} from './invitation-form.ts';

type FormProps = { form: UseFormReturn<InvitationForm> };

/** What visitors read, and until when. */
export function Basics({ form, expiryHint }: FormProps & { expiryHint: string }) {
  return (
    <>
      <TextField label="Title" maxLength={TITLE_MAX} autoComplete="off" {...bind(form, 'title')} />
      <TextArea label="Message" isOptional rows={3} maxLength={MESSAGE_MAX} {...bind(form, 'message')} />
      <TextField
        label="Expiration in days"
        type="number"
        inputMode="numeric"
        min={1}
        max={INVITATION_DAYS_MAX}
        hint={expiryHint}
        {...bind(form, 'expirationDays')}
      />
    </>
  );
}

/** What may come in; folded away, because the plan's limits do for most. */
export function Limits({ form, planBytes }: FormProps & { planBytes: number | undefined }) {
  const { errors, submitCount } = form.formState;
  const [isOpen, setOpen] = useState(() => hasOwnLimits(form.getValues()));
  const isWrong = LIMIT_FIELDS.some((field) => errors[field]);
  // A mistake must be seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: at every try, also when it is the same mistake.
  useEffect(() => {
    if (isWrong) setOpen(true);
  }, [isWrong, submitCount]);
  const planHint = planBytes === undefined ? undefined : `Empty: ${formatSize(planBytes)}, as on your plan`;
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
        Limits
        <span className="ml-auto text-xs font-normal text-ink-faint">optional</span>
      </summary>
      <div className="grid gap-5 px-4 pt-2 pb-5 sm:grid-cols-2">
        <TextField
          label="Max file size"
          placeholder="5GB"
          autoComplete="off"
          hint={planHint}
          {...bind(form, 'maxFileSize')}
        />
        <TextField
          label="Max total size"
          placeholder="20GB"
          autoComplete="off"
          hint={planHint}
          {...bind(form, 'maxTotalSize')}
        />
        <TextField
          label="Max files"
          type="number"
          inputMode="numeric"
          min={1}
          max={MAX_FILES_PER_TRANSFER}
          hint={`Empty: ${INVITATION_FILES_DEFAULT}`}
          {...bind(form, 'maxFiles')}
        />
        <TextField
          label="Allowed file types"
          placeholder="pdf, jpg, docx"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint="Empty: any type"
          {...bind(form, 'allowedTypes')}
        />
        <Switch
          className="sm:col-span-2"
          label="Recurring use"
          hint="The limits count for each visit by itself; it stays open until it expires or you disable it."
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

/** Name, error and everything else react-hook-form wants of a field. */
function bind({ register, formState: { errors } }: UseFormReturn<InvitationForm>, name: InvitationField) {
  return { ...register(name), error: errors[name]?.message };
}
