import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import type { z } from 'zod';
import { toInstant, toLocalDateTime } from '../../lib/time/relative-time.ts';

/** Validates a form against the contract's request schema; reports the first issue of each field. */
export function resolveWith<Form extends FieldValues>(
  schema: z.ZodType,
  toBody: (form: Form) => unknown,
  findMore: (form: Form) => Partial<Record<keyof Form, string>> = () => ({}),
): Resolver<Form> {
  return (form) => {
    const wrong: Record<string, string> = {};
    for (const { path, message } of schema.safeParse(toBody(form)).error?.issues ?? [])
      wrong[String(path[0])] ??= message;
    Object.assign(wrong, findMore(form));
    if (Object.keys(wrong).length === 0) return { values: form, errors: {} };
    const errors = Object.entries(wrong).map(([field, message]) => [field, { type: 'rule', message }]);
    return { values: {}, errors: Object.fromEntries(errors) as FieldErrors<Form> };
  };
}

/** Parses a typed number; NaN for anything else, which the schema refuses. */
export function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.trim());
}

/** Parses the value of a `datetime-local` field into an ISO instant (UTC); undefined if empty. */
export function readLocalInstant(text: string): string | undefined {
  const [date = '', time = '00:00'] = text.split('T');
  return toInstant(date, time);
}

/** Formats an instant for a `datetime-local` field. */
export function writeLocalInstant(instant: string | null): string {
  const { date, time } = toLocalDateTime(instant);
  return date && `${date}T${time}`;
}
