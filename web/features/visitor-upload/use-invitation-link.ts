import { useEffect, useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { type InvitationLink, readInvitationLink, repairedPath } from './invitation-link.ts';

/** The link of this page, which may change when another one with the same token is pasted. Repairs it. */
export function useInvitationLink(): InvitationLink {
  const { token: place = '' } = useParams();
  const [hash, setHash] = useState(() => window.location.hash);
  useEffect(() => {
    const read = () => setHash(window.location.hash);
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  const link = useMemo(() => readInvitationLink(place, hash), [place, hash]);
  useEffect(() => {
    if (!link.isBroken) return;
    window.history.replaceState(window.history.state, '', repairedPath(link));
    setHash(window.location.hash);
  }, [link]);
  return link;
}
