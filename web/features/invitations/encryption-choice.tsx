import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LockKeyhole } from 'lucide-react';
import type { UseFormReturn } from 'react-hook-form';
import type { EncryptionPolicy } from '../../../contracts/plans/tiers.ts';
import { Switch } from '../../components/form/switch.tsx';
import { canEncrypt } from '../../lib/browser/can-encrypt.ts';
import type { InvitationForm } from './invitation-form.ts';

type EncryptionChoiceProps = { form: UseFormReturn<InvitationForm>; policy: EncryptionPolicy };

/** Whether a new invitation is encrypted, as far as the plan leaves the choice. */
export function EncryptionChoice({ form, policy }: EncryptionChoiceProps) {
  if (policy === 'forbidden') return null;
  const isPossible = canEncrypt();
  if (policy === 'required')
    return (
      <p className="flex gap-2.5 text-sm text-ink-soft">
        <LockKeyhole aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-ink" />
        {isPossible ? (
          <Trans>
            Every invitation asks for end-to-end encrypted files here. Only browsers that have its key can
            open them, and nobody can restore it.
          </Trans>
        ) : (
          <Trans>
            Every invitation must ask for end-to-end encrypted files here. Your browser can do that only on
            https addresses.
          </Trans>
        )}
      </p>
    );
  return (
    <div className="rounded-md border border-line-firm px-4 py-3">
      <Switch
        label={t`End-to-end encrypted`}
        hint={
          isPossible
            ? t`Visitors’ browsers encrypt files, names and messages. Only browsers that have the key of this invitation can open them, and nobody can restore it.`
            : t`Your browser can encrypt only on https addresses.`
        }
        disabled={!isPossible}
        {...form.register('isEncrypted')}
      />
    </div>
  );
}
