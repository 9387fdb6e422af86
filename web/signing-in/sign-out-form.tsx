import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Button } from '../components/actions/button.tsx';
import { DialogFooter } from '../components/dialogs/dialog.tsx';
import { Checkbox } from '../components/form/checkbox.tsx';

export type SignOutChoice = { apiKeys: boolean; webhooks: boolean };

type SignOutFormProps = {
  submitLabel: string;
  isPending: boolean;
  onSubmit: (choice: SignOutChoice) => void;
  onCancel: () => void;
};

/** Asks what else to disable when all sessions end. */
export function SignOutForm({ submitLabel, isPending, onSubmit, onCancel }: SignOutFormProps) {
  const [apiKeys, setKeys] = useState(false);
  const [webhooks, setWebhooks] = useState(false);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit({ apiKeys, webhooks });
      }}
    >
      <div className="flex flex-col gap-4">
        <Checkbox
          label={t`Disable API keys`}
          hint={t`Scripts and the command line stop working until the keys are enabled again.`}
          checked={apiKeys}
          onChange={({ target }) => setKeys(target.checked)}
        />
        <Checkbox
          label={t`Disable webhooks`}
          hint={t`Waiting deliveries are dropped.`}
          checked={webhooks}
          onChange={({ target }) => setWebhooks(target.checked)}
        />
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" variant="danger" isBusy={isPending}>
          {submitLabel}
        </Button>
      </DialogFooter>
    </form>
  );
}
