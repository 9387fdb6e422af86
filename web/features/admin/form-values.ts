import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import type { z } from 'zod';
import { toInstant, toLocalDateTime } from '../../lib/local-date-time.ts';

/** Checks a form by the contract's schema of what is sent: one sentence per field, at the field of that name. */
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

/** What is typed as a number; NaN for anything else, so that the schema refuses it. */
export function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.trim());
}

/** What a `datetime-local` field holds, as ISO text in UTC; undefined when it is empty. */
export function readLocalInstant(text: string): string | undefined {
  const [date = '', time = '00:00'] = text.split('T');
  return toInstant(date, time);
}

/** An instant for a `datetime-local` field. */
export function writeLocalInstant(instant: string | null): string {
  const { date, time } = toLocalDateTime(instant);
  return date && `${date}T${time}`;
}
