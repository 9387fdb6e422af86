import { t } from '@lingui/core/macro';
import type { Definition } from '../legal-article.tsx';
import {
  downloadTicketTime,
  knownPlaceTime,
  pendingCookieTime,
  sessionTime,
  sidebarCookieTime,
  unlockedTransferTime,
  visitorCookieTime,
} from './times.ts';

/** Cookies, local storage and databases of the browser. A test fails if a cookie is missing. */
export const COOKIES: Definition[] = [
  [<code key="name">sendwell_session</code>, t`Keeps you signed in, for at most ${sessionTime}.`],
  [
    <code key="name">sendwell_browser</code>,
    t`Lets you sign in from this browser while someone else is guessing your password, for ${knownPlaceTime}.`,
  ],
  [
    <code key="name">sendwell_sign_in</code>,
    t`Lets you enter your second factor after the password, for 5 minutes.`,
  ],
  [
    <code key="name">sendwell_passkey</code>,
    t`Ties the request for your passkey to this browser, for 5 minutes.`,
  ],
  [
    <code key="name">sendwell_sso</code>,
    t`Lets you come back from the provider with which you sign in, for 10 minutes.`,
  ],
  [
    <code key="name">sendwell_pending</code>,
    t`Lets you enter the code after registering, for ${pendingCookieTime}.`,
  ],
  [
    <code key="name">visitor-…</code>,
    t`Lets you send files to one upload invitation after you verified your address, for ${visitorCookieTime} after you last used it.`,
  ],
  [
    <code key="name">download-grant</code>,
    t`Remembers that you entered the password of one transfer, for ${unlockedTransferTime}.`,
  ],
  [
    <code key="name">download-ticket</code>,
    t`Lets an interrupted download continue without counting twice, for ${downloadTicketTime}.`,
  ],
  [<code key="name">sidebar_state</code>, t`Whether the sidebar is open, for ${sidebarCookieTime}.`],
  [<code key="name">theme</code>, t`Light or dark, in your browser’s local storage, until you clear it.`],
  [<code key="name">language</code>, t`The language you chose for the pages.`],
  [
    <code key="name">send-ahead, …</code>,
    t`What you switched on or off under “This device”, in your browser’s local storage, until you clear it.`,
  ],
  [
    <code key="name">sendwell-uploads</code>,
    t`Which files an unfinished upload was sending, in your browser’s database, so that it can resume after you close the tab. It never leaves your device.`,
  ],
  [
    <code key="name">sendwell-kept-files</code>,
    t`Files you chose before signing in, in your browser’s database, until you sign in or discard them, at most for a day. They leave your device only when you upload them.`,
  ],
];
