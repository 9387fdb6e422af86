import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { SCAN_REASON_MAX } from '../../../../contracts/admin/scanning.ts';
import { bindField, useContractForm } from '../../../api/forms/contract-form.ts';
import { Button } from '../../../components/actions/button.tsx';
import { DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { TextArea } from '../../../components/form/text-area.tsx';

type ReasonFormProps = {
  /** The form's accessible name. */
  label: string;
  submitLabel: string;
  isDestructive?: boolean;
  isBusy: boolean;
  children?: ReactNode;
  onSubmit: (reason: string) => void;
  onCancel: () => void;
};

/** Asks for the reason of a decision, which goes into the audit log. */
export function ReasonForm(props: ReasonFormProps) {
  const { label, submitLabel, isDestructive = false, isBusy, children, onSubmit, onCancel } = props;
  const form = useContractForm({
    check: ({ reason }) => (reason.trim() ? {} : { reason: t`Please enter a reason` }),
    defaultValues: { reason: '' },
  });
  const submit = form.handleSubmit(({ reason }) => {
    if (!isBusy) onSubmit(reason.trim());
  });
  return (
    <form noValidate aria-label={label} onSubmit={submit}>
      {children}
      <TextArea
        label={t`Reason`}
        hint={t`Other administrators see it in the audit log.`}
        maxLength={SCAN_REASON_MAX}
        {...bindField(form, 'reason')}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" variant={isDestructive ? 'danger' : 'primary'} isBusy={isBusy}>
          {submitLabel}
        </Button>
      </DialogFooter>
    </form>
  );
}
