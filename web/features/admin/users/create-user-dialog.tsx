import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { CreateUserInput } from '../../../../contracts/admin/users.ts';
import { TIERS, type TierName, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { findFieldErrors, showFieldErrors } from '../../../api/field-errors.ts';
import { Button } from '../../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { Select } from '../../../components/form/select.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { resolveWith } from '../form-values.ts';
import { useCreateUser } from './user-queries.ts';

type UserForm = {
  username: string;
  email: string;
  password: string;
  name: string;
  tier: TierName;
  isAdmin: boolean;
};

const FIELDS = ['username', 'email', 'password', 'name', 'tier', 'isAdmin'] as const;
const defaultValues: UserForm = {
  username: '',
  email: '',
  password: '',
  name: '',
  tier: 'free',
  isAdmin: false,
};
const resolver = resolveWith<UserForm>(CreateUserInput, (form) => form);

export function CreateUserDialog(dialog: { isOpen: boolean; onClose: () => void }) {
  return (
    <FormDialog
      title="Create user"
      description="The account can be used at once; its email address counts as verified."
      {...dialog}
    >
      {(parts) => <CreateUserForm {...parts} />}
    </FormDialog>
  );
}

function CreateUserForm({ onChanged, onCancel, onSaved }: FormDialogParts) {
  const { register, handleSubmit, setError, formState } = useForm<UserForm>({ resolver, defaultValues });
  const { mutateAsync } = useCreateUser();
  const { errors, isDirty, isSubmitting } = formState;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const bind = (name: (typeof FIELDS)[number]) => ({ ...register(name), error: errors[name]?.message });
  const submit = handleSubmit(async (form) => {
    try {
      await mutateAsync(form);
      onSaved();
    } catch (error) {
      // The toast already shows the error; also show it at its field.
      showFieldErrors(setError, findFieldErrors(error, FIELDS));
    }
  });
  return (
    <form noValidate aria-label="Create user" onSubmit={submit}>
      <div className="grid gap-5 sm:grid-cols-2 [&_input]:scroll-mb-28">
        <TextField
          label="Username"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...bind('username')}
        />
        <TextField label="Email" type="email" autoComplete="off" {...bind('email')} />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          hint="8 or more characters are recommended."
          {...bind('password')}
        />
        <TextField
          label="Full name"
          isOptional
          autoComplete="off"
          hint="The username unless given."
          {...bind('name')}
        />
        <Select
          label="Plan"
          options={TIERS.map((tier) => ({ value: tier, label: tierLabel(tier) }))}
          {...bind('tier')}
        />
        <Switch
          label="Administrator"
          hint="Sees and does everything here."
          className="sm:mt-6"
          {...register('isAdmin')}
        />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isSubmitting} busyLabel="Creating..." className="max-sm:grow">
          Create User
        </Button>
      </FormDialogFooter>
    </form>
  );
}
