import { useMutation, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { ApiError, refusalText } from '../../../../client/api-error.ts';
import {
  type ApiKey,
  type CreateApiKeyInput,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  updateApiKey,
} from '../../../../contracts/accounts/api-keys.ts';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { refreshSession } from '../../../api/session.ts';
import { toast } from '../../../components/feedback/toast.ts';

const KEYS_KEY = ['/api/api-keys'];

/** Always refetches: programs use keys in the background. */
export function useApiKeys() {
  return useQuery({
    queryKey: KEYS_KEY,
    queryFn: ({ signal }) => call(listApiKeys, { signal }),
    staleTime: 0,
  });
}

/** Only this response contains the key itself. */
export function useCreateApiKey() {
  return useMutation({
    mutationFn: (body: z.input<typeof CreateApiKeyInput>) => call(createApiKey, { body }),
    onSuccess: ({ key: _, ...made }) => changeListed((listed) => [made, ...listed]),
    onError: showRefusal,
  });
}

export function useSwitchApiKey(id: string) {
  return useMutation({
    mutationFn: (isActive: boolean) => call(updateApiKey, { params: { id }, body: { isActive } }),
    onSuccess: (changed) => {
      changeListed((listed) => listed.map((each) => (each.id === id ? changed : each)));
      toast({
        title: changed.isActive ? 'API key turned on' : 'API key turned off',
        description: changed.isActive ? undefined : 'Calls by it are refused from now on.',
      });
    },
    onError: showRefusal,
  });
}

export function useDeleteApiKey(id: string) {
  return useMutation({
    mutationFn: () => call(deleteApiKey, { params: { id } }),
    onSuccess: () => {
      changeListed((listed) => listed.filter((each) => each.id !== id));
      toast({ title: 'API key deleted', description: 'Calls by it are refused from now on.' });
    },
    onError: showRefusal,
  });
}

function changeListed(change: (listed: ApiKey[]) => ApiKey[]): void {
  queryClient.setQueryData<ApiKey[]>(KEYS_KEY, (listed) => listed && change(listed));
}

/** Shows the error; refetches if the key was deleted elsewhere or the plan has changed. */
function showRefusal(error: unknown): void {
  toast({ title: 'Error', description: refusalText(error), variant: 'destructive' });
  if (!(error instanceof ApiError)) return;
  if (error.status === 404) void queryClient.invalidateQueries({ queryKey: KEYS_KEY });
  if (error.status === 402) void refreshSession();
}
