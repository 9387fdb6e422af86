import { useLayoutEffect, useRef } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { maxExpirationDays } from '../../contracts/transfers/settings-rules.ts';
import { useContractForm } from '../api/contract-form.ts';
import { checkSettings, type SettingsRules } from './settings-checks.ts';
import { editSettingsForm, newSettingsForm, type SettingsForm } from './settings-form.ts';

/** The form for a new transfer, or with `transfer` for its changes, checked against the sender's plan. */
export function useSettingsForm(rules: Omit<SettingsRules, 'now'>): UseFormReturn<SettingsForm> {
  const { transfer, retentionDays } = rules;
  const form = useContractForm<SettingsForm>({
    defaultValues: transfer ? editSettingsForm(transfer, retentionDays) : newSettingsForm(retentionDays),
    check: (values) => checkSettings(values, { ...rules, now: Date.now() }),
  });
  useProposedDays(form, retentionDays);
  return form;
}

/**
 * Proposes the plan's longest expiry. The plan's limits may load after the page; days the user has chosen meanwhile
 * stay. A layout effect, because a later one could overwrite what the user types.
 */
function useProposedDays(
  { resetField, getValues }: UseFormReturn<SettingsForm>,
  retentionDays: number,
): void {
  const days = String(maxExpirationDays(retentionDays));
  const proposed = useRef(days);
  useLayoutEffect(() => {
    if (getValues('expirationDays') === proposed.current)
      resetField('expirationDays', { defaultValue: days });
    proposed.current = days;
  }, [days, resetField, getValues]);
}
