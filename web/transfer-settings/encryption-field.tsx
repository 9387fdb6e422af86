import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LockKeyhole } from 'lucide-react';
import type { UseFormReturn } from 'react-hook-form';
import type { EncryptionPolicy } from '../../contracts/plans/tiers.ts';
import { Switch } from '../components/form/switch.tsx';
import { canEncrypt } from '../lib/browser/can-encrypt.ts';
import type { SettingsForm } from './settings-form.ts';

type EncryptionFieldProps = {
  form: UseFormReturn<SettingsForm>;
  policy: EncryptionPolicy;
  /** The transfer was submitted. */
  isFixed: boolean;
};

/** Whether a new transfer is encrypted, as far as the plan leaves the choice. */
export function EncryptionField({ form, policy, isFixed }: EncryptionFieldProps) {
  if (policy === 'forbidden') return null;
  const isPossible = canEncrypt();
  if (policy === 'required')
    return (
      <p className="flex gap-2.5 text-sm text-ink-soft">
        <LockKeyhole aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-ink" />
        {isPossible ? (
          <Trans>
            Every transfer is end-to-end encrypted here. The key is only in the link, and nobody can restore
            it.
          </Trans>
        ) : (
          <Trans>
            Every transfer must be end-to-end encrypted here. Your browser can do that only on https
            addresses.
          </Trans>
        )}
      </p>
    );
  return (
    <Switch
      label={t`End-to-end encrypted`}
      hint={
        isPossible
          ? t`Files, names and message are encrypted in this browser. The key is only in the link, and nobody can restore it.`
          : t`Your browser can encrypt only on https addresses.`
      }
      disabled={isFixed || !isPossible}
      {...form.register('isEncrypted')}
    />
  );
}
