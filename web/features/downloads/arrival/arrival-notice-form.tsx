import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError, errorDetail } from '../../../../client/api-error.ts';
import { ArrivalNoticeInput, askForArrivalNotice } from '../../../../contracts/transfers/arrival.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { findFieldErrors } from '../../../api/forms/field-errors.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { FieldError } from '../../../components/form/field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';

type NoticeValues = { email: string };

type ArrivalNoticeFormProps = {
  token: string;
  onClose: () => void;
  onAsked: () => void;
  /** Everything has arrived meanwhile. */
  onArrived: () => Promise<unknown>;
};

const check = checkWith<NoticeValues>(ArrivalNoticeInput);

/** Mounted while the dialog is open. */
export function ArrivalNoticeForm({ token, onClose, onAsked, onArrived }: ArrivalNoticeFormProps) {
  const form = useContractForm<NoticeValues>({ check, defaultValues: { email: '' } });
  const { run, error } = useAction(askForArrivalNotice, {
    form,
    failure: () => undefined,
    onSuccess: onAsked,
    onError: (refusal) => {
      if (!(refusal instanceof ApiError) || refusal.code !== 'already_arrived') return;
      toast({ title: t`It’s all here`, description: refusal.detail });
      void onArrived();
    },
  });
  const submit = form.handleSubmit(({ email }) => run({ params: { token }, body: { email: email.trim() } }));
  const isOfNoField = error && Object.keys(findFieldErrors(error, form)).length === 0;
  return (
    <form noValidate onSubmit={submit}>
      <div className="flex flex-col gap-5">
        <TextField
          label={t`Your email address`}
          type="email"
          autoComplete="email"
          data-initial-focus=""
          {...bindField(form, 'email')}
        />
        {isOfNoField && (
          <div role="alert">
            <FieldError id="notice-refusal">{errorDetail(error)}</FieldError>
          </div>
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={form.formState.isSubmitting} busyLabel={t`Sending...`}>
          <Trans>Email Me</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}
