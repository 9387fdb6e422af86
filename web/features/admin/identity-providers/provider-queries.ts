import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { listSignInProviders } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import {
  type AdminIdentityProvider,
  checkProviderDomain,
  createIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  testIdentityProvider,
  updateIdentityProvider,
} from '../../../../contracts/admin/identity-providers.ts';
import { call } from '../../../api/call.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { queryClient, queryKeyOf } from '../../../api/query-client.ts';
import { useAction } from '../../../api/use-action.ts';

export type ProviderList = z.infer<typeof listIdentityProviders.response>;

const refreshes = [listIdentityProviders, listSignInProviders];
const outdated = [listIdentityProviders];

export function useProviders() {
  return useQuery({ ...queryOf(listIdentityProviders), refetchOnMount: 'always' });
}

function show(provider: AdminIdentityProvider): void {
  queryClient.setQueryData<ProviderList>(queryKeyOf(listIdentityProviders), (list) => {
    if (!list) return list;
    const isKnown = list.providers.some(({ id }) => id === provider.id);
    const providers = isKnown
      ? list.providers.map((each) => (each.id === provider.id ? provider : each))
      : [...list.providers, provider];
    return { ...list, providers };
  });
}

export function useCreateProvider<Form extends FieldValues>(form: UseFormReturn<Form>) {
  return useAction(createIdentityProvider, {
    form,
    refreshes,
    onSuccess: show,
    success: ({ name, isEnabled }) => ({
      title: t`Provider added`,
      description: isEnabled ? t`The sign-in page offers ${name} from now on.` : t`${name} is turned off.`,
    }),
  });
}

export function useUpdateProvider<Form extends FieldValues>(form: UseFormReturn<Form>) {
  return useAction(updateIdentityProvider, {
    form,
    refreshes,
    outdated,
    onSuccess: show,
    success: ({ name }) => ({
      title: t`Provider changed`,
      description: t`The changes of ${name} apply now.`,
    }),
  });
}

export function useDeleteProvider() {
  return useAction(({ id }: AdminIdentityProvider) => call(deleteIdentityProvider, { params: { id } }), {
    refreshes,
    outdated,
    success: (_nothing, { name }) => ({
      title: t`Provider deleted`,
      description: t`Nobody can sign in with ${name} any more.`,
    }),
  });
}

export function useTestProvider() {
  return useAction((issuer: string) => call(testIdentityProvider, { body: { issuer } }), {
    failure: t`Not tested`,
  });
}

export function useCheckDomain({ id }: AdminIdentityProvider) {
  return useAction((domain: string) => call(checkProviderDomain, { params: { id }, body: { domain } }), {
    outdated,
    onSuccess: show,
    failure: t`Not checked`,
  });
}
