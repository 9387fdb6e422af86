import { isLanguage, type LanguageCode } from '../../../contracts/values/languages.ts';

const COOKIE = 'language';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The language chosen on this device; by default the browser decides. */
export function chosenLanguage(cookies = globalThis.document?.cookie ?? ''): LanguageCode | undefined {
  const value = /(?:^|; )language=([a-z]{2})(?:;|$)/.exec(cookies)?.[1];
  return value && isLanguage(value) ? value : undefined;
}

/** Keeps the choice in a cookie, which the server can read as well, and reloads. undefined: the browser decides. */
export function chooseLanguage(language: LanguageCode | undefined): void {
  const isHttps = window.location.protocol === 'https:';
  const life = language ? YEAR_SECONDS : 0;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we serve.
  document.cookie = `${COOKIE}=${language ?? ''}; Path=/; Max-Age=${life}; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  window.location.reload();
}
