import type { IncomingHttpHeaders } from 'node:http';
import { isLanguage, type LanguageCode } from '../../../../contracts/values/language/languages.ts';

/**
 * The languages a reader wants, the best first: the one chosen on the device (the cookie that the pages set), else
 * those of `Accept-Language` (RFC 9110 §12.5.4). Two-letter codes without regions.
 */
export function listWantedLanguages({ cookie = '', ...headers }: IncomingHttpHeaders): string[] {
  const chosen = /(?:^|; )language=([a-z]{2})(?:;|$)/.exec(cookie)?.[1];
  if (chosen) return [chosen];
  // A long header is hostile or broken.
  const ranges = (headers['accept-language'] ?? '').slice(0, 200).split(',').map(parseRange);
  const wanted = ranges.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality);
  return wanted.map(({ tag }) => tag.slice(0, 2)).filter((tag) => /^[a-z]{2}$/.test(tag));
}

function parseRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
  const quality = parameters.map((each) => /^\s*q=(\d(?:\.\d{1,3})?)\s*$/.exec(each)?.[1]).find(Boolean);
  return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) };
}

/** The first wanted language that we speak; null if there is none. */
export function requestLanguage({ headers }: { headers: IncomingHttpHeaders }): LanguageCode | null {
  return listWantedLanguages(headers).find(isLanguage) ?? null;
}
