import { errorDetail } from '../../../client/api-error.ts';
import {
  REPORT_DETAILS_MAX,
  REPORT_REASONS,
  reportTransfer,
} from '../../../contracts/transfers/downloads.ts';
import { bindField, useContractForm } from '../../api/contract-form.ts';
import { findFieldErrors } from '../../api/field-errors.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/actions/button.tsx';
import { DialogFooter } from '../../components/actions/dialog.tsx';
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
type ReportValues = { reason: Reason | ''; details: string; email: string };

type ReportFormProps = { token: string; onClose: () => void };

/** Lives as long as the dialog is open. */
export function ReportForm({ token, onClose }: ReportFormProps) {
  const form = useContractForm<ReportValues>({
    check: ({ reason }) => (reason ? {} : { reason: 'Please choose a reason' }),
    defaultValues: { reason: '', details: '', email: '' },
  });
  const { run, reset, error } = useAction(reportTransfer, {
    form,
    success: { title: 'Report sent', description: 'Thank you. We will look at this transfer.' },
    failure: () => undefined,
    onSuccess: onClose,
  });
  const submit = form.handleSubmit(({ reason, details, email }) =>
    run({
      params: { token },
      body: { reason: reason as Reason, details: details.trim(), email: email.trim() },
    }),
  );
  const isOfNoField = error && Object.keys(findFieldErrors(error, form)).length === 0;
  return (
    <form noValidate onSubmit={submit}>
      <div className="flex flex-col gap-5">
        <Select
          label="Reason"
          options={[{ value: '', label: 'Choose a reason' }, ...REPORT_REASONS.map(toOption)]}
          {...bindField(form, 'reason', { onChange: reset })}
        />
        <TextArea label="Details" isOptional maxLength={REPORT_DETAILS_MAX} {...bindField(form, 'details')} />
        <TextField
          label="Your email address"
          type="email"
          autoComplete="email"
          isOptional
          hint="In case we have a question."
          {...bindField(form, 'email')}
        />
        {isOfNoField && (
          <div role="alert">
            <FieldError id="report-refusal">{errorDetail(error)}</FieldError>
          </div>
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" isBusy={form.formState.isSubmitting} busyLabel="Sending...">
          Send Report
        </Button>
      </DialogFooter>
    </form>
  );
}

function toOption(value: Reason) {
  return { value, label: REASON_NAMES[value] };
}
