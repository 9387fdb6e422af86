import { z } from 'zod';
import { ID_PATTERN } from './addresses/links.ts';
import { LANGUAGE_CODES } from './language/languages.ts';

export const Id = z
  .string()
  .regex(ID_PATTERN, 'This id is not valid.')
  .meta({ examples: ['0k3v9w2m7x5q1r8t6y4u0p2s3d'] });

const NOBODYS_TOKEN = '0'.repeat(26);

/** A malformed token gets the same response and rate limit as an unknown one. */
export const ShareToken = z.preprocess((token) => (Id.safeParse(token).success ? token : NOBODYS_TOKEN), Id);

/** ISO 8601 in UTC, in responses. */
export const Instant = z.string().meta({ format: 'date-time' });

/** ISO 8601 with a zone, in requests. */
export const InstantInput = z.iso.datetime({ offset: true, error: 'Please enter a date and time.' });

/** Databases and headers cannot carry NUL or lone surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Trimmed text, may have several lines. */
export function textUpTo(max: number) {
  return z
    .string()
    .trim()
    .max(max, `Please use at most ${max} characters.`)
    .refine(isStorableText, 'This text contains characters that cannot be stored.');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const LINE_BREAKS = /[\u0001-\u001f\u007f-\u009f\u2028\u2029]+/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Trimmed, with a space for each run of line breaks and control characters, and without bidi controls, which could make
 * a name read differently.
 */
export function toOneLine(text: string): string {
  return text.replace(LINE_BREAKS, ' ').replace(BIDI, '').trim();
}

/** As `textUpTo`, on one line. */
export function lineUpTo(max: number) {
  return z
    .string()
    .overwrite(toOneLine)
    .max(max, `Please use at most ${max} characters.`)
    .refine(isStorableText, 'This text contains characters that cannot be stored.');
}

export function requiredText(max: number, message: string) {
  return lineUpTo(max).min(1, message);
}

const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/i;

/** One plain address: no comments, quotes or display name, at most 254 characters (64 before the @). */
export function isEmail(text: string): boolean {
  return text.length <= 254 && text.indexOf('@') <= 64 && EMAIL.test(text);
}

export const Email = z
  .string()
  .trim()
  .refine(isEmail, 'Please enter a valid email address')
  .meta({ format: 'email' });

/** Keeps the order; drops blanks and duplicates. */
export function splitEmails(text: string): string[] {
  return uniqueEmails(text.split(/[,;\n]/));
}

/** Case-insensitive. */
export function uniqueEmails(emails: string[]): string[] {
  const seen = new Map<string, string>();
  for (const email of emails.map((each) => each.trim()).filter(Boolean)) {
    if (!seen.has(email.toLowerCase())) seen.set(email.toLowerCase(), email);
  }
  return [...seen.values()];
}

export const Language = z.enum(LANGUAGE_CODES);
