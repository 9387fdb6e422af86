import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { refusalText } from '../../../../client/api-error.ts';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { type UpdateProfileInput, updateProfile } from '../../../../contracts/accounts/settings.ts';
import { call } from '../../../api/call.ts';
import { findFieldErrors, showFieldErrors } from '../../../api/field-errors.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { toast } from '../../../components/feedback/toast.ts';

type Changes = z.input<typeof UpdateProfileInput>;

/**
 * Saves a change of the profile and shows a toast. On failure, `save` resolves to undefined and the server's sentence
 * also appears at its field.
 */
export function useProfileSave<Form extends FieldValues>(
  { setError }: Pick<UseFormReturn<Form>, 'setError'>,
  fields: readonly FieldPath<Form>[],
) {
  const { secondsLeft, startAfter } = useCoolDown();
  const save = async (
    changes: Changes,
    success: (user: CurrentUser) => string,
  ): Promise<CurrentUser | undefined> => {
    try {
      const user = await call(updateProfile, { body: changes });
      toast({ title: 'Profile Updated', description: success(user) });
      return user;
    } catch (error) {
      startAfter(error);
      toast({ title: 'Update Failed', description: refusalText(error), variant: 'destructive' });
      showFieldErrors(setError, findFieldErrors(error, fields));
      return undefined;
    }
  };
  return { save, secondsLeft };
}
