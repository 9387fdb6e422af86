import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { refusalText } from '../../../../client/api-error.ts';
import { RequestSignInLinkInput, requestSignInLink } from '../../../../contracts/accounts/sign-in/link.ts';
import type { SignInProvider } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { useSite } from '../../../api/site.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { readRequiredProvider } from '../../../signing-in/providers.ts';

type SignInLinkProps = {
  /** The address's domain requires this provider. */
  onSsoRequired: (provider: SignInProvider) => void;
};

/** "Email me a link", if the administrator allows it. */
export function SignInLink({ onSsoRequired }: SignInLinkProps) {
  const { site } = useSite();
  const [isOpen, setOpen] = useState(false);
  if (!site?.signIn.emailLink) return null;
  if (isOpen) return <RequestForm onSsoRequired={onSsoRequired} />;
  return (
    <Button variant="secondary" size="lg" className="mt-5 w-full" onClick={() => setOpen(true)}>
      <Trans>Email me a link</Trans>
    </Button>
  );
}

/** Known and unknown addresses get the same answer. */
function RequestForm({ onSsoRequired }: SignInLinkProps) {
  const form = useContractForm({ check: checkWith(RequestSignInLinkInput), defaultValues: { email: '' } });
  const [isSent, setSent] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  const { run } = useAction(requestSignInLink, {
    form,
    onSuccess: () => setSent(true),
    failure: (error) =>
      readRequiredProvider(error) ? undefined : { title: t`No link sent`, description: refusalText(error) },
    onError: (error) => {
      startAfter(error);
      const provider = readRequiredProvider(error);
      if (provider) onSsoRequired(provider);
    },
  });
  if (isSent)
    return (
      <p role="status" className="mt-5 rounded-lg border border-line-firm p-4">
        <Trans>Check your email. If you can sign in with that address, a link is on its way.</Trans>
      </p>
    );
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit((body) => run({ body }))}
      className="mt-5 flex flex-col gap-5 border-t border-line pt-5"
    >
      <TextField label={t`Email`} type="email" autoComplete="email" {...bindField(form, 'email')} />
      <CoolDownButton
        type="submit"
        variant="secondary"
        size="lg"
        isBusy={form.formState.isSubmitting}
        busyLabel={t`Sending...`}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        <Trans>Send the link</Trans>
      </CoolDownButton>
    </form>
  );
}
