import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import {
  createApiKey,
  deleteApiKey,
  listApiKeys,
  updateApiKey,
} from '../../../../contracts/accounts/api-keys.ts';
import { call } from '../../../api/call.ts';
import { addRow, queryOf, removeRows, replaceRow } from '../../../api/endpoint-query.ts';
import { useAction } from '../../../api/use-action.ts';

const outdated = [listApiKeys];

/** Always refetches, because apps use keys in the background. */
export function useApiKeys() {
  return useQuery({ ...queryOf(listApiKeys), staleTime: 0 });
}

/** Only this response contains the key itself. */
export function useCreateApiKey<Form extends FieldValues>(form: UseFormReturn<Form>) {
  return useAction(createApiKey, {
    form,
    onSuccess: ({ key: _, ...made }) => addRow(listApiKeys, made),
  });
}

export function useSwitchApiKey(id: string) {
  return useAction((isActive: boolean) => call(updateApiKey, { params: { id }, body: { isActive } }), {
    outdated,
    onSuccess: (changed) => replaceRow(listApiKeys, changed),
    success: ({ isActive }) => ({
      title: isActive ? t`API key turned on` : t`API key turned off`,
      description: isActive ? undefined : t`Apps that use it no longer have access.`,
    }),
  });
}

export function useDeleteApiKey(id: string) {
  return useAction(() => call(deleteApiKey, { params: { id } }), {
    outdated,
    onSuccess: () => removeRows(listApiKeys, id),
    success: { title: t`API key deleted`, description: t`Apps that use it no longer have access.` },
  });
}
