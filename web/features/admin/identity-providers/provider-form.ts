import {
  type AdminIdentityProvider,
  CreateIdentityProviderInput,
  UpdateIdentityProviderInput,
} from '../../../../contracts/admin/identity-providers.ts';
import { checkWith } from '../../../api/forms/contract-form.ts';
import { splitDomains } from '../form-values.ts';

/** The switches of a provider. */
type Flags = Pick<
  AdminIdentityProvider,
  'mayCreateAccounts' | 'isRequiredForDomains' | 'trustsSecondFactor' | 'isEnabled'
>;

export type ProviderForm = Flags & {
  issuer: string;
  clientId: string;
  /** Never shown again. Empty keeps the present one. */
  clientSecret: string;
  /** Makes it a public client. */
  removesSecret: boolean;
  name: string;
  domains: string;
};

const EMPTY: ProviderForm = {
  issuer: '',
  clientId: '',
  clientSecret: '',
  removesSecret: false,
  name: '',
  domains: '',
  mayCreateAccounts: false,
  isRequiredForDomains: false,
  trustsSecondFactor: false,
  isEnabled: true,
};

export function toProviderForm(provider: AdminIdentityProvider | undefined): ProviderForm {
  if (!provider) return EMPTY;
  const { issuer, clientId, name, domains } = provider;
  const { mayCreateAccounts, isRequiredForDomains, trustsSecondFactor, isEnabled } = provider;
  return {
    ...EMPTY,
    issuer,
    clientId,
    name,
    domains: domains.map(({ domain }) => domain).join(', '),
    mayCreateAccounts,
    isRequiredForDomains,
    trustsSecondFactor,
    isEnabled,
  };
}

export function checkProvider(provider: AdminIdentityProvider | undefined) {
  return provider
    ? checkWith<ProviderForm>(UpdateIdentityProviderInput, toChanges)
    : checkWith<ProviderForm>(CreateIdentityProviderInput, toNewProvider);
}

export function toNewProvider({ issuer, ...form }: ProviderForm) {
  const { clientSecret = null, ...changes } = toChanges(form);
  return { issuer, clientSecret, ...changes };
}

export function toChanges({
  clientSecret,
  removesSecret,
  domains,
  ...form
}: Omit<ProviderForm, 'issuer'> & { issuer?: string }) {
  const { issuer: _fixed, ...fields } = form;
  const secret = removesSecret ? null : clientSecret || undefined;
  return { ...fields, domains: splitDomains(domains), ...(secret !== undefined && { clientSecret: secret }) };
}

/** Whether saving would lock out accounts of these domains that don't use the provider yet. */
export function findNewlyRequired(
  provider: AdminIdentityProvider | undefined,
  { isRequiredForDomains, isEnabled, domains }: ProviderForm,
): string[] {
  if (!isRequiredForDomains || !isEnabled) return [];
  const isAlready = provider?.isRequiredForDomains && provider.isEnabled;
  const present = new Set(isAlready ? provider.domains.map(({ domain }) => domain) : []);
  return splitDomains(domains).filter((domain) => !present.has(domain.toLowerCase()));
}
