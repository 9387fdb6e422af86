import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { keepDigits } from '../../lib/values/code.ts';

const KEY = 'verification-code';

/**
 * The code in the fragment of a mailed link; empty without one. It leaves the address bar and is kept for this tab, so
 * that signing in on the way does not lose it.
 */
export function useLinkedCode(): string {
  const { hash, pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const present = keepDigits(new URLSearchParams(hash.slice(1)).get('code') ?? '');
  const [code, setCode] = useState(() => present || (sessionStorage.getItem(KEY) ?? ''));
  useEffect(() => {
    if (!present) return;
    sessionStorage.setItem(KEY, present);
    setCode(present);
    navigate({ pathname, search }, { replace: true, state });
  }, [present, navigate, pathname, search, state]);
  return code;
}

/** For a code that was used or refused. */
export function forgetLinkedCode(): void {
  sessionStorage.removeItem(KEY);
}
