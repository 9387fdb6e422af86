import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { listFactors, renewRecoveryCodes } from '../../../../contracts/accounts/sign-in/factors.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { focusSection, SettingsSection } from '../settings-section.tsx';
import { useFactors, useHasSecondFactor } from './factor-queries.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

/** Shown once there is a second factor. */
export function RecoveryCodesSection() {
  const { data: factors } = useFactors();
  const hasFactor = useHasSecondFactor();
  const [isAsking, setAsking] = useState(false);
  const [codes, setCodes] = useState<string[]>();
  const renew = useAction(renewRecoveryCodes, {
    refreshes: [listFactors],
    onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes),
    failure: t`No new codes were made`,
  });
  if (!hasFactor || !factors) return null;
  return (
    <SettingsSection
      id="recovery-codes"
      title={t`Recovery codes`}
      description={t`They let you in if you lose your passkeys or your phone. Keep them where only you can find them.`}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p>
          {plural(factors.recoveryCodes, { 0: 'No codes left', one: '# code left', other: '# codes left' })}
        </p>
        <Button variant="secondary" isBusy={renew.isPending} onClick={() => setAsking(true)}>
          <Trans>Make new codes</Trans>
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setAsking}
        title={t`Make new recovery codes?`}
        description={t`The codes you have now stop working.`}
        confirmLabel={t`Make new codes`}
        onConfirm={() => {
          setAsking(false);
          renew.mutate();
        }}
      />
      {codes && (
        <RecoveryCodesDialog
          codes={codes}
          onClose={() => {
            setCodes(undefined);
            focusSection('recovery-codes');
          }}
        />
      )}
    </SettingsSection>
  );
}
