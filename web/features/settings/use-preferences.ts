import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { refusalText } from '../../../client/api-error.ts';
import { getPreferences, type Preferences, updatePreferences } from '../../../contracts/accounts/settings.ts';
import { call } from '../../api/call.ts';
import { toast } from '../../components/toast.ts';

export type PreferenceName = keyof Preferences;
type Change = { name: PreferenceName; value: boolean };

const KEY = ['/api/user/preferences'];

/** Which mails one wants. A change shows at once and is taken back when the server refuses it. */
export function usePreferences() {
  const client = useQueryClient();
  const query = useQuery({ queryKey: KEY, queryFn: () => call(getPreferences), staleTime: 0 });
  const show = ({ name, value }: Change) =>
    client.setQueryData<Preferences>(KEY, (shown) => shown && { ...shown, [name]: value });
  const { mutate } = useMutation({
    // One after another: the last click wins, whatever the network does.
    scope: { id: 'preferences' },
    mutationFn: ({ name, value }: Change) => call(updatePreferences, { body: { [name]: value } }),
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey: KEY });
      show(change);
    },
    onError: async (error, { name, value }) => {
      show({ name, value: !value });
      toast({ title: 'Update Failed', description: refusalText(error), variant: 'destructive' });
      await client.invalidateQueries({ queryKey: KEY });
    },
  });
  return { ...query, change: mutate };
}
