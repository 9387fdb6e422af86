import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { type CurrentUser, RegisterInput } from '../../../contracts/accounts/accounts.ts';
import { setSessionUser } from '../../api/session.ts';
import { CoolDownButton } from '../../components/cool-down-button.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useUnsavedChanges } from './unsaved-changes.tsx';
import { useProfileSave } from './use-profile-save.ts';

const NameInput = RegisterInput.pick({ name: true });

/** Saving is enabled only when the name has changed. */
export function NameForm({ user }: { user: CurrentUser }) {
  const form = useForm({ resolver: zodResolver(NameInput), values: { name: user.name } });
  const { register, handleSubmit, setFocus, watch, formState } = form;
  const { save, secondsLeft } = useProfileSave(form, ['name']);
  const isChanged = watch('name').trim() !== user.name;
  useUnsavedChanges('name', isChanged);
  const submit = handleSubmit(async ({ name }) => {
    const saved = await save({ name }, () => 'Your name has been changed.');
    if (!saved) return;
    setSessionUser(saved);
    // The button is about to be disabled, and the focus would fall off the page.
    setFocus('name');
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Name"
        autoComplete="name"
        hint="Shown to the people you send files to."
        error={formState.errors.name?.message}
        {...register('name')}
      />
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        disabled={!isChanged}
        isBusy={formState.isSubmitting}
        busyLabel="Saving..."
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Save Name
      </CoolDownButton>
    </form>
  );
}
