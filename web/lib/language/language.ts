import { isLanguage, type LanguageCode } from '../../../contracts/values/language/languages.ts';

const COOKIE = 'language';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The language chosen on this device; by default the browser decides. */
export function chosenLanguage(cookies = globalThis.document?.cookie ?? ''): LanguageCode | undefined {
  const value = /(?:^|; )language=([a-z]{2})(?:;|$)/.exec(cookies)?.[1];
  return value && isLanguage(value) ? value : undefined;
}

/** What `followAccountLanguage` keeps in the browser's storage. */
const FOLLOWED = 'account-language';

/** The language of the account, where it is not that of the browser and nothing was chosen on this device. */
export function followedLanguage(): LanguageCode | undefined {
  try {
    const stored = globalThis.localStorage?.getItem(FOLLOWED) ?? '';
    return isLanguage(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** For the sentences of errors: tells the server a language that it can't know from the cookie or the browser. */
export function languageHeaders(): Record<string, string> {
  const language = followedLanguage();
  return language ? { 'accept-language': language } : {};
}

/** Returns whether it was kept: storage may be disabled. */
function setFollowed(language: LanguageCode | undefined): boolean {
  try {
    if (language) localStorage.setItem(FOLLOWED, language);
    else localStorage.removeItem(FOLLOWED);
  } catch {}
  return followedLanguage() === language;
}

/** The first language of the browser that we speak. */
export function browserLanguage(): LanguageCode {
  return (globalThis.navigator?.languages ?? []).map((tag) => tag.split('-')[0]!).find(isLanguage) ?? 'en';
}

let hasFollowed = false;

/**
 * Reloads the page in the language of the account if another device has changed it, unless this device chose its own.
 * Only the first call of a page does, because a later reload could end an upload.
 */
export function followAccountLanguage(language: LanguageCode): void {
  if (hasFollowed) return;
  hasFollowed = true;
  if (chosenLanguage()) return;
  const wanted = language === browserLanguage() ? undefined : language;
  if (wanted !== followedLanguage() && setFollowed(wanted)) window.location.reload();
}

/** Keeps the choice in a cookie, which the server can read as well, and reloads. undefined: the browser decides. */
export function chooseLanguage(language: LanguageCode | undefined): void {
  setFollowed(undefined);
  const isHttps = window.location.protocol === 'https:';
  const life = language ? YEAR_SECONDS : 0;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we serve.
  document.cookie = `${COOKIE}=${language ?? ''}; Path=/; Max-Age=${life}; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  window.location.reload();
}
