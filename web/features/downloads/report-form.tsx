import { type FormEvent, useRef, useState } from 'react';
import { errorDetail } from '../../../client/api-error.ts';
import {
  REPORT_DETAILS_MAX,
  REPORT_REASONS,
  reportTransfer,
} from '../../../contracts/transfers/downloads.ts';
import { call } from '../../api/call.ts';
import { findFieldErrors } from '../../api/field-errors.ts';
import { Button } from '../../components/actions/button.tsx';
import { Dialog, DialogFooter } from '../../components/actions/dialog.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { FieldError } from '../../components/form/field.tsx';
import { Select } from '../../components/form/select.tsx';
import { TextArea } from '../../components/form/text-area.tsx';
import { TextField } from '../../components/form/text-field.tsx';

type Reason = (typeof REPORT_REASONS)[number];

const REASON_NAMES: Record<Reason, string> = {
  malware: 'It contains malware',
  phishing: 'It pretends to be someone else (phishing)',
  copyright: 'It violates my copyright',
  illegal: 'It is illegal',
  other: 'Something else',
};
const FIELDS = ['reason', 'details', 'email'] as const;

type Errors = Partial<Record<(typeof FIELDS)[number] | 'form', string>>;

type ReportFormProps = { token: string; onClose: () => void };

/** Lives as long as the dialog is open. */
function ReportForm({ token, onClose }: ReportFormProps) {
  const [isSending, setSending] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const form = useRef<HTMLFormElement>(null);
  const showErrors = (next: Errors) => {
    setErrors(next);
    const first = FIELDS.find((name) => next[name]);
    if (first) form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending) return;
    const { reason, details, email } = readForm(event.currentTarget);
    if (!reason) return showErrors({ reason: 'Please choose a reason' });
    setSending(true);
    try {
      await call(reportTransfer, { params: { token }, body: { reason: reason as Reason, details, email } });
      toast({ title: 'Report sent', description: 'Thank you. We will look at this transfer.' });
      onClose();
    } catch (refusal) {
      showErrors(readErrors(refusal));
    } finally {
      setSending(false);
    }
  };
  return (
    <form ref={form} noValidate onSubmit={submit}>
      <div className="flex flex-col gap-5">
        <Select
          label="Reason"
          name="reason"
          options={[{ value: '', label: 'Choose a reason' }, ...REPORT_REASONS.map(toOption)]}
          defaultValue=""
          error={errors.reason}
          onChange={() => setErrors({})}
        />
        <TextArea
          label="Details"
          name="details"
          isOptional
          maxLength={REPORT_DETAILS_MAX}
          error={errors.details}
        />
        <TextField
          label="Your email address"
          name="email"
          type="email"
          autoComplete="email"
          isOptional
          hint="In case we have a question."
          error={errors.email}
        />
        {errors.form && (
          <div role="alert">
            <FieldError id="report-refusal">{errors.form}</FieldError>
          </div>
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isSending} busyLabel="Sending...">
          Send Report
        </Button>
      </DialogFooter>
    </form>
  );
}

function readForm(form: HTMLFormElement) {
  const read = (name: string) => String(new FormData(form).get(name) ?? '').trim();
  return { reason: read('reason'), details: read('details'), email: read('email') };
}

function toOption(value: Reason) {
  return { value, label: REASON_NAMES[value] };
}

function readErrors(refusal: unknown): Errors {
  const found = findFieldErrors(refusal, FIELDS);
  if (found.length === 0) return { form: errorDetail(refusal) };
  return Object.fromEntries(found.map(({ field, message }) => [field, message]));
}

/** The link in the footer, and what it opens. */
export function ReportAbuse({ token }: { token: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        Report abuse
      </button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title="Report this transfer"
        description="Tell us what is wrong with it. The sender does not learn who reported it."
      >
        <ReportForm token={token} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
