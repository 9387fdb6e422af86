import { useEffect, useLayoutEffect, useRef } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { maxExpirationDays } from '../../contracts/transfers/settings/settings-rules.ts';
import { type ContractFormControl, createContractForm, useContractForm } from '../api/forms/contract-form.ts';
import { whenIdle } from '../lib/loading/when-idle.ts';
import type { SettingsRules } from './settings-checks.ts';
import { editSettingsForm, newSettingsForm, type SettingsForm } from './settings-form.ts';
import type { SettingsErrors } from './settings-refusals.ts';

const loadChecks = () => import('./settings-checks.ts');

/**
 * The checks bring the schemas (25 kB) and are needed first when the form is sent, so the page doesn't wait for them. If
 * they can't be loaded, the server's answer must do.
 */
async function checkLate(values: SettingsForm, rules: Omit<SettingsRules, 'now'>): Promise<SettingsErrors> {
  const checks = await loadChecks().catch(() => undefined);
  return checks?.checkSettings(values, { ...rules, now: Date.now() }) ?? {};
}

function useEarlyChecks(): void {
  useEffect(
    () =>
      void whenIdle()
        .then(loadChecks)
        .catch(() => {}),
    [],
  );
}

/** The form for a new transfer, or with `transfer` for its changes, checked against the sender's plan. */
export function useSettingsForm(rules: Omit<SettingsRules, 'now'>): UseFormReturn<SettingsForm> {
  const { transfer, retentionDays } = rules;
  useEarlyChecks();
  const form = useContractForm<SettingsForm>({
    defaultValues: transfer ? editSettingsForm(transfer, retentionDays) : newSettingsForm(retentionDays),
    check: (values) => checkLate(values, rules),
  });
  const proposed = useRef(String(maxExpirationDays(retentionDays)));
  useProposedDays(form, retentionDays, proposed);
  return form;
}

export type CreatedSettingsForm = ContractFormControl<SettingsForm> & {
  /** The expiry that was proposed last. */
  proposedDays: { current: string };
};

/** A new transfer's form that outlives its page. It is checked by the rules of the moment. */
export function createSettingsForm(
  rules: () => Omit<SettingsRules, 'now' | 'transfer'>,
): CreatedSettingsForm {
  const { retentionDays } = rules();
  const form = createContractForm<SettingsForm>({
    defaultValues: newSettingsForm(retentionDays),
    check: (values) => checkLate(values, rules()),
  });
  return { ...form, proposedDays: { current: String(maxExpirationDays(retentionDays)) } };
}

/** Shows a form of `createSettingsForm`. */
export function useCreatedSettingsForm(
  { formControl, resolver, proposedDays }: CreatedSettingsForm,
  retentionDays: number,
): UseFormReturn<SettingsForm> {
  useEarlyChecks();
  const form = useForm<SettingsForm>({ formControl, resolver });
  useProposedDays(form, retentionDays, proposedDays);
  return form;
}

/**
 * Proposes the plan's longest expiry. The plan's limits may load after the page; days the user has chosen meanwhile
 * stay. A layout effect, because a later one could overwrite what the user types.
 */
function useProposedDays(
  { setValue, resetField, getValues }: UseFormReturn<SettingsForm>,
  retentionDays: number,
  proposed: { current: string },
): void {
  const days = String(maxExpirationDays(retentionDays));
  useLayoutEffect(() => {
    if (proposed.current !== days && getValues('expirationDays') === proposed.current) {
      // The first also works while the field is hidden, the second makes it the default.
      setValue('expirationDays', days);
      resetField('expirationDays', { defaultValue: days });
    }
    proposed.current = days;
  }, [days, proposed, setValue, resetField, getValues]);
}
