import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getSite, type Site } from '../../contracts/system.ts';
import { queryOf } from './endpoint-query.ts';

/** The hint of a field for a new password. */
export function usePasswordHint(): string {
  const least = useSite().site?.signIn.passwordMinLength ?? 0;
  return least > RECOMMENDED ? t`At least ${least} characters.` : t`We recommend at least 8 characters.`;
}

const RECOMMENDED = 8;

/** How this installation takes payments and registrations; undefined until it is known. */
export function useSite(): { site: Site | undefined; error: Error | null; refetch: () => void } {
  const { data, error, refetch } = useQuery({
    ...queryOf(getSite),
  });
  return { site: data, error, refetch: () => void refetch() };
}
