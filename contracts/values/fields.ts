import { z } from 'zod';
import { ID_PATTERN } from './links.ts';

export const Id = z
  .string()
  .regex(ID_PATTERN, 'This id is not valid.')
  .meta({ examples: ['0k3v9w2m7x5q1r8t6y4u0p2s3d'] });

const NOBODYS_TOKEN = '0'.repeat(26);

/**
 * A share token in an address. A malformed token is treated as an unknown one, with the same response and rate limit.
 */
export const ShareToken = z.preprocess((token) => (Id.safeParse(token).success ? token : NOBODYS_TOKEN), Id);

/** ISO 8601 in UTC, as in responses. */
export const Instant = z.string().meta({ format: 'date-time' });

/** ISO 8601 with a zone, as in requests. */
export const InstantInput = z.iso.datetime({ offset: true, error: 'Please give a date and time.' });

/** True if databases and headers can carry the text: no NUL, no lone surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Text that may have several lines: well-formed, trimmed, at most `max` characters. */
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
 * A name or title: as `textUpTo`, on one line. Line breaks and other control characters become one space, and bidi
 * controls, which could make it read as another text, are removed.
 */
export function lineUpTo(max: number) {
  return z
    .string()
    .overwrite((text) => text.replace(LINE_BREAKS, ' ').replace(BIDI, ''))
    .trim()
    .max(max, `Please use at most ${max} characters.`)
    .refine(isStorableText, 'This text contains characters that cannot be stored.');
}

/** A name or title that must not be empty. */
export function requiredText(max: number, message: string) {
  return lineUpTo(max).min(1, message);
}

const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/i;

/** One address: no comments, no quotes, no display name, at most 254 characters (64 before the @). */
export function isEmail(text: string): boolean {
  return text.length <= 254 && text.indexOf('@') <= 64 && EMAIL.test(text);
}

export const Email = z
  .string()
  .trim()
  .refine(isEmail, 'Please enter a valid email address')
  .meta({ format: 'email' });

/** Splits what a person typed into a recipients field. Keeps order, drops blanks and repetitions. */
export function splitEmails(text: string): string[] {
  return uniqueEmails(text.split(/[,;\n]/));
}

/** The same addresses once each, compared without case. */
export function uniqueEmails(emails: string[]): string[] {
  const seen = new Map<string, string>();
  for (const email of emails.map((each) => each.trim()).filter(Boolean)) {
    if (!seen.has(email.toLowerCase())) seen.set(email.toLowerCase(), email);
  }
  return [...seen.values()];
}
