import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import { CreateUserInput } from '../../../../contracts/admin/users.ts';
import { TIERS, type TierName, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { usePasswordHint } from '../../../api/site.ts';
import { Button } from '../../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { Select } from '../../../components/form/select.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { useCreateUser } from './user-queries.ts';

type UserForm = {
  username: string;
  email: string;
  password: string;
  name: string;
  tier: TierName;
  isAdmin: boolean;
};

const defaultValues: UserForm = {
  username: '',
  email: '',
  password: '',
  name: '',
  tier: 'free',
  isAdmin: false,
};
const check = checkWith<UserForm>(CreateUserInput);

export function CreateUserDialog(dialog: { isOpen: boolean; onClose: () => void }) {
  return (
    <FormDialog
      title={t`Create user`}
      description={t`The account can be used immediately, and its email address counts as verified.`}
      {...dialog}
    >
      {(parts) => <CreateUserForm {...parts} />}
    </FormDialog>
  );
}

function CreateUserForm({ onChanged, onCancel, onSaved }: FormDialogParts) {
  const form = useContractForm({ check, defaultValues });
  const passwordHint = usePasswordHint();
  const { run } = useCreateUser(form);
  const { isDirty, isSubmitting } = form.formState;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const submit = form.handleSubmit(async (body) => {
    if (await run({ body })) onSaved();
  });
  return (
    <form noValidate aria-label={t`Create user`} onSubmit={submit}>
      <div className="grid gap-5 sm:grid-cols-2 [&_input]:scroll-mb-28">
        <TextField
          label={t`Username`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...bindField(form, 'username')}
        />
        <TextField label={t`Email`} type="email" autoComplete="off" {...bindField(form, 'email')} />
        <TextField
          label={t`Password`}
          type="password"
          autoComplete="new-password"
          hint={passwordHint}
          {...bindField(form, 'password')}
        />
        <TextField
          label={t`Full name`}
          isOptional
          autoComplete="off"
          hint={t`Defaults to the username.`}
          {...bindField(form, 'name')}
        />
        <Select
          label={t`Plan`}
          options={TIERS.map((tier) => ({ value: tier, label: tierLabel(tier) }))}
          {...bindField(form, 'tier')}
        />
        <Switch
          label={t`Administrator`}
          hint={t`Has full access to this area.`}
          className="sm:mt-6"
          {...form.register('isAdmin')}
        />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isSubmitting} busyLabel={t`Creating...`} className="max-sm:grow">
          <Trans>Create User</Trans>
        </Button>
      </FormDialogFooter>
    </form>
  );
}
