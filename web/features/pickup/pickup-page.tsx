import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { PickupInput, pickUp } from '../../../contracts/transfers/downloads/pickup.ts';
import { sharePath } from '../../../contracts/values/addresses/links.ts';
import { bindField, checkWith, useContractForm } from '../../api/forms/contract-form.ts';
import { useAction } from '../../api/use-action.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { GuestFrame } from '../../components/layout/guest-frame.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';

type PickupForm = { code: string };

/** Where a code that was told by voice is entered. */
export function PickupPage() {
  usePageTitle(t`Enter a pickup code`);
  return (
    <GuestFrame credit="Sendwell">
      <Ripples
        view="slanted"
        tone="quiet"
        count={9}
        className="absolute top-[92%] left-1/2 -z-10 w-[max(76rem,115vw)] -translate-x-1/2 -translate-y-1/2 [mask-image:linear-gradient(to_bottom,transparent_24%,black_52%)]"
      />
      <div className="frame flex grow flex-col justify-center pt-6 pb-[max(9rem,26vh)]">
        <div className="mx-auto w-full max-w-[27rem]">
          <h1 className="text-4xl">
            <Trans>Enter your pickup code</Trans>
          </h1>
          <p className="mt-4 text-ink-soft">
            <Trans>The sender told you six letters. They lead to the files for a day.</Trans>
          </p>
          <CodeForm />
        </div>
      </div>
    </GuestFrame>
  );
}

function isUnknown(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'pickup_code_unknown';
}

const check = checkWith<PickupForm>(PickupInput);

function CodeForm() {
  const form = useContractForm<PickupForm>({ check, defaultValues: { code: '' } });
  const { secondsLeft, startAfter } = useCoolDown();
  const field = useRef<HTMLFormElement>(null);
  useEffect(() => field.current?.querySelector('input')?.focus(), []);
  const { run } = useAction(pickUp, {
    form,
    failure: (error) =>
      isUnknown(error)
        ? undefined
        : { title: t`The code couldn't be checked`, description: errorDetail(error) },
    onError: (error) => {
      startAfter(error);
      if (isUnknown(error))
        form.setError('code', { type: 'rule', message: errorDetail(error) }, { shouldFocus: true });
    },
    // A new document: the download page loads without the session of this one.
    onSuccess: ({ token }) => window.location.assign(sharePath(token)),
  });
  const { isSubmitting } = form.formState;
  return (
    <form
      ref={field}
      noValidate
      aria-label={t`Pickup code`}
      className="mt-8 flex flex-col gap-6"
      onSubmit={form.handleSubmit(({ code }) => run({ body: { code } }))}
    >
      <TextField
        label={t`Pickup code`}
        placeholder="KVX RMD"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={20}
        className="[&_input]:font-mono [&_input]:text-xl [&_input]:tracking-widest [&_input]:uppercase [&_input]:placeholder:text-ink-faint"
        {...bindField(form, 'code')}
      />
      <CoolDownButton
        type="submit"
        size="lg"
        isBusy={isSubmitting}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        <Trans>Show the files</Trans>
      </CoolDownButton>
    </form>
  );
}
