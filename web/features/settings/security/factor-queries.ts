import { useQuery } from '@tanstack/react-query';
import { listFactors } from '../../../../contracts/accounts/sign-in/factors.ts';
import { queryOf } from '../../../api/endpoint-query.ts';

/** Whether the account has a password; true until it is known, because nearly all have one. */
export const useHasPassword = () => useFactors().data?.hasPassword ?? true;

/** False until it is known. */
export function useHasSecondFactor(): boolean {
  const { data: factors } = useFactors();
  return factors !== undefined && (factors.app !== null || factors.passkeys.length > 0);
}

export const useFactors = () => useQuery(queryOf(listFactors));
