import type { z } from 'zod';
import type { FieldErrors } from '../../../../contracts/errors.ts';
import { fillPlaceholders } from '../../../../contracts/values/placeholders.ts';
import { msg } from '../../language/marker.ts';
import { AppError } from '../../lib/app-error.ts';

/** One sentence per field; the first is the message. */
export function invalidInput(error: z.ZodError): AppError {
  const sentences = new Map<string, string>();
  const add = (path: PropertyKey[], text: string) => {
    const field = path.join('.');
    if (!sentences.has(field)) sentences.set(field, text);
  };
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') add(issue.path, sentence(issue));
    else
      for (const key of issue.keys) {
        const path = [...issue.path, key];
        add(path, unknownField(path.join('.')));
      }
  }
  const [[field, first] = ['', '']] = sentences;
  // `fromEntries` is safe for a field named "__proto__".
  const errors: FieldErrors = Object.fromEntries(sentences);
  return new AppError('invalid_input', {
    errors,
    message: field && isGeneric(first) ? `${field}: ${first}` : first,
  });
}

const SHOWN_PATH_MAX = 100;

/** Ignoring a misspelled `password` would leave a transfer unprotected. */
function unknownField(path: string): string {
  const shown = path.slice(0, SHOWN_PATH_MAX).replace(/[^\p{L}\p{N}_.-]/gu, '?');
  return fillPlaceholders(
    msg('There is no field “{shown}” in this call. Please check its name or leave it out.'),
    {
      shown,
    },
  );
}

/** For fields that are missing or have the wrong type. */
function sentence(issue: z.core.$ZodIssue): string {
  const size = /^Too (?:big|small): expected (\w+) to (?:be|have) ([<>]=?)(\S+)/.exec(issue.message);
  if (size) return sizeSentence(size[1]!, size[2]!.startsWith('<'), size[3]!);
  const generic = /^Invalid input: expected (\S+), received (\S+)$/.exec(issue.message);
  if (!generic) return issue.message;
  return generic[2] === 'undefined' ? msg('Required') : `Expected ${generic[1]}, received ${generic[2]}`;
}

const SIZES = {
  string: [msg('Please use at most {limit} characters.'), msg('Please use at least {limit} characters.')],
  array: [msg('Please send at most {limit} at once.'), msg('Please send at least {limit} at once.')],
  other: [msg('Please enter at most {limit}.'), msg('Please enter at least {limit}.')],
} as const;

function sizeSentence(type: string, isMax: boolean, limit: string): string {
  const [atMost, atLeast] = type === 'string' || type === 'array' ? SIZES[type] : SIZES.other;
  return fillPlaceholders(isMax ? atMost : atLeast, { limit });
}

function isGeneric(message: string): boolean {
  return message === 'Required' || message.startsWith('Expected ') || message.startsWith('Invalid ');
}
