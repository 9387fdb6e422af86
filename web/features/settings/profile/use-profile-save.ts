import { t } from '@lingui/core/macro';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';

type ProfileSave<Form extends FieldValues> = {
  form: UseFormReturn<Form>;
  describe: (saved: CurrentUser) => string;
  onSaved: (saved: CurrentUser) => void;
};

export function useProfileSave<Form extends FieldValues>({ form, describe, onSaved }: ProfileSave<Form>) {
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, run, isPending } = useAction(updateProfile, {
    form,
    success: (saved) => ({ title: t`Profile Updated`, description: describe(saved) }),
    onSuccess: onSaved,
    failure: t`Update Failed`,
    onError: startAfter,
  });
  return { mutate, run, isPending, secondsLeft };
}
