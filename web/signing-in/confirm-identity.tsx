import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useCallback, useState } from 'react';
import { errorDetail } from '../../client/api-error.ts';
import { type Factors, listFactors } from '../../contracts/accounts/sign-in/factors.ts';
import {
  beginPasskeyConfirmation,
  reauthenticate,
  type SecondFactor,
} from '../../contracts/accounts/sign-in/sign-in.ts';
import { call } from '../api/call.ts';
import { queryOf } from '../api/endpoint-query.ts';
import { LoadFailure } from '../api/load-failure.tsx';
import { answerIdentity } from '../api/session/step-up.ts';
import { useAction } from '../api/use-action.ts';
import { useCoolDown } from '../api/use-cool-down.ts';
import { Button } from '../components/actions/button.tsx';
import { CoolDownButton } from '../components/actions/cool-down-button.tsx';
import { Dialog, DialogFooter } from '../components/dialogs/dialog.tsx';
import { Skeleton, SkeletonGroup } from '../components/feedback/skeleton.tsx';
import { TextField } from '../components/form/text-field.tsx';
import { ConfirmWithProvider, ConfirmWithProviderInstead } from './confirm-with-provider.tsx';
import { type ChosenProof, FactorForm } from './factor-form.tsx';
import { promptForPasskey } from './passkeys.ts';

/** Asks for a proof of identity before a sensitive action, which then continues by itself. */
export function ConfirmIdentity({ isOpen }: { isOpen: boolean }) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={() => answerIdentity(false)}
      size="sm"
      title={t`Confirm it's you`}
      description={t`This protects your account if someone else uses this device. You are asked again after 15 minutes.`}
    >
      <Confirmation />
    </Dialog>
  );
}

/** Mounted while the dialog is open. */
function Confirmation() {
  const { data: factors, error, refetch } = useQuery({ ...queryOf(listFactors), staleTime: 0 });
  const [refusal, setRefusal] = useState<string>();
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(confirm, {
    onSuccess: () => answerIdentity(true),
    failure: () => undefined,
    onError: (failure) => {
      startAfter(failure);
      setRefusal(errorDetail(failure));
    },
  });
  const send = useCallback(
    (proof: Confirmed) => {
      setRefusal(undefined);
      mutate(proof);
    },
    [mutate],
  );
  if (!factors) {
    if (error) return <LoadFailure message={t`We couldn't load this.`} error={error} onRetry={refetch} />;
    return (
      <SkeletonGroup className="flex flex-col gap-4">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </SkeletonGroup>
    );
  }
  const methods = methodsOf(factors);
  const form = { isPending, error: refusal, secondsLeft };
  if (methods.length > 0)
    return (
      <FactorForm {...form} factors={methods} onProof={send} submitLabel={t`Confirm`}>
        <Button type="button" variant="ghost" size="sm" onClick={() => answerIdentity(false)}>
          <Trans>Cancel</Trans>
        </Button>
      </FactorForm>
    );
  if (!factors.hasPassword) return <ConfirmWithProvider />;
  return (
    <>
      <PasswordForm {...form} onPassword={(password) => send({ method: 'password', password })} />
      <ConfirmWithProviderInstead />
    </>
  );
}

type Confirmed = ChosenProof | { method: 'password'; password: string };

async function confirm(proof: Confirmed) {
  if (proof !== 'passkey') return call(reauthenticate, { body: proof });
  const response = await promptForPasskey(await call(beginPasskeyConfirmation));
  return call(reauthenticate, { body: { method: 'passkey', response } });
}

function methodsOf({ passkeys, app, recoveryCodes }: Factors): SecondFactor[] {
  return [
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(app ? (['totp'] as const) : []),
    ...(recoveryCodes > 0 ? (['recovery-code'] as const) : []),
  ];
}

type PasswordFormProps = {
  isPending: boolean;
  error: string | undefined;
  secondsLeft: number;
  onPassword: (password: string) => void;
};

function PasswordForm({ isPending, error, secondsLeft, onPassword }: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onPassword(password);
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextField
        label={t`Password`}
        type="password"
        autoComplete="current-password"
        data-initial-focus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={error}
      />
      <DialogFooter>
        <Button type="button" variant="secondary" onClick={() => answerIdentity(false)}>
          <Trans>Cancel</Trans>
        </Button>
        <CoolDownButton
          type="submit"
          disabled={password === ''}
          isBusy={isPending}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
        >
          <Trans>Confirm</Trans>
        </CoolDownButton>
      </DialogFooter>
    </form>
  );
}
