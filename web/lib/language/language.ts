/** The languages of the pages, each by its own name. Every catalogue of a language listed here must be complete. */
export const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  nl: 'Nederlands',
  pt: 'Português',
};

const COOKIE = 'language';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The language chosen on this device; by default the browser decides. */
export function chosenLanguage(cookies = globalThis.document?.cookie ?? ''): string | undefined {
  const value = /(?:^|; )language=([a-z]{2})(?:;|$)/.exec(cookies)?.[1];
  return value && Object.hasOwn(LANGUAGES, value) ? value : undefined;
}

/** Keeps the choice in a cookie, which the server can read as well, and reloads. undefined: the browser decides. */
export function chooseLanguage(language: string | undefined): void {
  const isHttps = window.location.protocol === 'https:';
  const life = language ? YEAR_SECONDS : 0;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we serve.
  document.cookie = `${COOKIE}=${language ?? ''}; Path=/; Max-Age=${life}; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  window.location.reload();
}
