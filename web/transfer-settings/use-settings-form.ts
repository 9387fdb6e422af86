import { useLayoutEffect, useRef } from 'react';
import { type FieldErrors, type Resolver, type UseFormReturn, useForm } from 'react-hook-form';
import {
  checkShareForm,
  emptyShareForm,
  type ShareField,
  type ShareForm,
  type ShareFormErrors,
  type ShareRules,
} from './share-form.ts';

type Rules = Omit<ShareRules, 'now'>;

/** The Share Settings card's form, held against the sender's plan. */
export function useShareForm(rules: Rules): UseFormReturn<ShareForm> {
  const { retentionDays } = rules;
  const form = useForm<ShareForm, Rules>({
    context: rules,
    resolver: resolve,
    defaultValues: emptyShareForm(retentionDays),
    reValidateMode: 'onChange',
  });
  const { resetField, getValues } = form;
  const proposed = useRef(emptyShareForm(retentionDays).expirationDays);
  // The plan's own retention may arrive after the page; days that were chosen meanwhile stay. At once, because
  // what is typed between drawing and an effect would be overwritten.
  useLayoutEffect(() => {
    const { expirationDays } = emptyShareForm(retentionDays);
    if (getValues('expirationDays') === proposed.current)
      resetField('expirationDays', { defaultValue: expirationDays });
    proposed.current = expirationDays;
  }, [retentionDays, resetField, getValues]);
  return form;
}

/** Shows at the fields what the server found wrong. */
export function showFormErrors({ setError }: UseFormReturn<ShareForm>, errors: ShareFormErrors): void {
  const wrong = Object.entries(errors) as [ShareField, string][];
  wrong.forEach(([field, message], index) => {
    setError(field, { type: 'server', message }, { shouldFocus: index === 0 });
  });
}

const resolve: Resolver<ShareForm, Rules> = (values, rules) => {
  const wrong = Object.entries(checkShareForm(values, { ...rules!, now: Date.now() }));
  if (wrong.length === 0) return { values, errors: {} };
  const errors = Object.fromEntries(wrong.map(([field, message]) => [field, { type: 'rule', message }]));
  return { values: {}, errors: errors as FieldErrors<ShareForm> };
};
