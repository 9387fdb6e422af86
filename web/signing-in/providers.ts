import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, errorDetail } from '../../client/api-error.ts';
import { listSignInProviders, type SignInProvider } from '../../contracts/accounts/sign-in/single-sign-on.ts';
import { queryOf } from '../api/endpoint-query.ts';
import type { ToastInput } from '../components/feedback/toast.ts';
import { describeOutcome } from './sso-outcomes.ts';

/** The providers to sign in with; undefined until they are known, none if they can't be loaded. */
export function useSignInProviders(): SignInProvider[] | undefined {
  const { data, error } = useQuery(queryOf(listSignInProviders));
  return data ?? (error ? [] : undefined);
}

/** The browser may have cancelled the navigation, for example because of unsaved changes. */
const LEAVING_MS = 10_000;

/** Opens a page of a provider in this window. `isLeaving` until then. */
export function useDeparture(): { isLeaving: boolean; leave: (url: string) => void } {
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    if (!isLeaving) return;
    const stay = () => setLeaving(false);
    const timer = setTimeout(stay, LEAVING_MS);
    // The Back button may show this page as it was left.
    window.addEventListener('pageshow', stay);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pageshow', stay);
    };
  }, [isLeaving]);
  const leave = (url: string) => {
    setLeaving(true);
    window.location.assign(url);
  };
  return { isLeaving, leave };
}

/** For `failure` of an action that begins a visit to a provider. */
export function describeDepartureFailure(title: string, name: string) {
  return (error: Error): ToastInput => {
    const isUnreachable = error instanceof ApiError && error.code === 'sso_unreachable';
    return {
      title,
      description: isUnreachable ? describeOutcome('unreachable', name) : errorDetail(error),
    };
  };
}

/** The provider that a refused sign-in or registration asks for; undefined for other errors. */
export function readRequiredProvider(error: unknown): SignInProvider | undefined {
  if (!(error instanceof ApiError && error.code === 'sso_required')) return undefined;
  const { providerId, name } = error.problem;
  return typeof providerId === 'string' && typeof name === 'string' ? { id: providerId, name } : undefined;
}
