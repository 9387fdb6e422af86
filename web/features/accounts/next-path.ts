import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { verifyEmailPath } from '../../../contracts/values/addresses/links.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { readReturnPath } from '../../../contracts/values/addresses/return-path.ts';

type SignedIn = {
  user: CurrentUser;
  /** The address's query, which may contain `?next=`. */
  search: string;
  /** Files were chosen before. */
  hasFiles: boolean;
};

/** Where a signed-in user continues: verification, `?next=`, the upload page if files wait, or the dashboard. */
export function pathAfterSignIn({ user, search, hasFiles }: SignedIn): string {
  if (!user.emailVerified) return verifyEmailPath(user.email);
  const next = readNextPath(search);
  return hasFiles && next === PAGES.dashboard ? PAGES.upload : next;
}

type Place = { pathname: string; search: string; hash: string };

/** Redirects a visitor without a session to sign-in and back to the page afterwards. */
export function signInPath({ pathname, search, hash }: Place): string {
  const place = pathname + search + hash;
  return place === PAGES.dashboard ? PAGES.auth : `${PAGES.auth}?next=${encodeURIComponent(place)}`;
}

/** The path in `?next=`. */
export function readNextPath(search: string): string {
  return readReturnPath(new URLSearchParams(search).get('next')) ?? PAGES.dashboard;
}
