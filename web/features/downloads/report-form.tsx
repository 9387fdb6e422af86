import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { errorDetail } from '../../../client/api-error.ts';
import {
  REPORT_DETAILS_MAX,
  REPORT_REASONS,
  reportTransfer,
} from '../../../contracts/transfers/downloads/downloads.ts';
import { bindField, useContractForm } from '../../api/forms/contract-form.ts';
import { findFieldErrors } from '../../api/forms/field-errors.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/actions/button.tsx';
import { DialogFooter } from '../../components/dialogs/dialog.tsx';
import { FieldError } from '../../components/form/field.tsx';
import { Select } from '../../components/form/select.tsx';
import { TextArea } from '../../components/form/text-area.tsx';
import { TextField } from '../../components/form/text-field.tsx';

type Reason = (typeof REPORT_REASONS)[number];

const REASON_NAMES: Record<Reason, string> = {
  malware: t`It contains malware`,
  phishing: t`It pretends to be someone else (phishing)`,
  copyright: t`It violates my copyright`,
  illegal: t`It is illegal`,
  other: t`Something else`,
};
type ReportValues = { reason: Reason | ''; details: string; email: string };

type ReportFormProps = { token: string; onClose: () => void };

/** Mounted while the dialog is open. */
export function ReportForm({ token, onClose }: ReportFormProps) {
  const form = useContractForm<ReportValues>({
    check: ({ reason }) => (reason ? {} : { reason: t`Please choose a reason` }),
    defaultValues: { reason: '', details: '', email: '' },
  });
  const { run, reset, error } = useAction(reportTransfer, {
    form,
    success: { title: t`Report sent`, description: t`Thank you. We will look at this transfer.` },
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
          label={t`Reason`}
          options={[{ value: '', label: t`Choose a reason` }, ...REPORT_REASONS.map(toOption)]}
          {...bindField(form, 'reason', { onChange: reset })}
        />
        <TextArea
          label={t`Details`}
          isOptional
          maxLength={REPORT_DETAILS_MAX}
          {...bindField(form, 'details')}
        />
        <TextField
          label={t`Your email address`}
          type="email"
          autoComplete="email"
          isOptional
          hint={t`In case we have a question.`}
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
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={form.formState.isSubmitting} busyLabel={t`Sending...`}>
          <Trans>Send Report</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}

function toOption(value: Reason) {
  return { value, label: REASON_NAMES[value] };
}
