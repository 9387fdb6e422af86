import { useEffect } from 'react';
import { useLocation } from 'react-router';

/** Goes to the part that the address names, which browsers do on page loads only. */
export function useHashTarget(): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
}
