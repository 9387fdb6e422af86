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
  return useForm<ShareForm, Rules>({
    context: rules,
    resolver: resolve,
    defaultValues: emptyShareForm(rules.retentionDays),
    reValidateMode: 'onChange',
  });
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
