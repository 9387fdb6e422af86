import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import {
  getSignInPolicy,
  SignInPolicy,
  updateSignInPolicy,
} from '../../../../contracts/accounts/sign-in/policy.ts';
import { getSite } from '../../../../contracts/system.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { queryClient, queryKeyOf } from '../../../api/query-client.ts';
import { refreshSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton } from '../../../components/feedback/skeleton.tsx';
import { Select } from '../../../components/form/select.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { Failure } from '../admin-page.tsx';

/** How people sign in: passwords, links by email, sessions. */
export function SignInSettings() {
  const { data, error, refetch } = useQuery(queryOf(getSignInPolicy));
  if (data) return <PolicyForm policy={data} />;
  if (error)
    return (
      <Failure title={t`The settings couldn't be loaded`} error={error} onRetry={() => void refetch()} />
    );
  return <Skeleton className="h-64 max-w-[44rem]" />;
}

type Form = Pick<SignInPolicy, 'secondFactor' | 'emailSignIn'> &
  Record<'passwordMinLength' | 'sessionDays' | 'sessionsPerUser', string>;

const check = checkWith<Form>(SignInPolicy, toBody);

function PolicyForm({ policy }: { policy: SignInPolicy }) {
  const form = useContractForm({ check, defaultValues: toForm(policy) });
  const { register, handleSubmit, reset, formState } = form;
  const { isDirty, isSubmitting } = formState;
  const { run } = useAction(updateSignInPolicy, {
    form,
    refreshes: [getSite],
    onSuccess: (saved) => {
      queryClient.setQueryData(queryKeyOf(getSignInPolicy), saved);
      // The rule may apply to this administrator, too.
      void refreshSession();
    },
    success: { title: t`Settings saved` },
  });
  useEffect(() => reset(toForm(policy)), [policy, reset]);
  const number = { type: 'number', inputMode: 'numeric', className: 'max-w-60' } as const;
  return (
    <form
      noValidate
      aria-label={t`Signing in`}
      onSubmit={handleSubmit((values) => run({ body: toBody(values) }))}
      className="max-w-[44rem]"
    >
      <Surface as="fieldset" className="flex flex-col gap-5">
        <legend className="float-left mb-3 w-full font-heading text-xl">
          <Trans>Signing in</Trans>
        </legend>
        <Select
          label={t`Second factor`}
          hint={t`Who must have one can do nothing else until it is set up. API keys continue to work.`}
          className="max-w-80"
          options={[
            { value: 'optional', label: t`Optional` },
            { value: 'administrators', label: t`Required for administrators` },
            { value: 'everyone', label: t`Required for everyone` },
          ]}
          {...register('secondFactor')}
        />
        <Switch
          label={t`Links by email`}
          hint={t`People may sign in, and register where registration allows it, with a link instead of a password.`}
          {...register('emailSignIn')}
        />
        <TextField
          label={t`Shortest password`}
          hint={t`Characters of new passwords. Administrators need at least 12.`}
          {...number}
          {...bindField(form, 'passwordMinLength')}
        />
        <TextField
          label={t`Days until a session ends`}
          hint={t`However often it is used. Applies to new sign-ins.`}
          {...number}
          {...bindField(form, 'sessionDays')}
        />
        <TextField
          label={t`Sessions per person`}
          hint={t`Signing in once more ends the oldest.`}
          {...number}
          {...bindField(form, 'sessionsPerUser')}
        />
      </Surface>
      <div className="mt-6 flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={!isDirty} isBusy={isSubmitting} busyLabel={t`Saving...`}>
          <Trans>Save</Trans>
        </Button>
        {isDirty && (
          <Button variant="ghost" onClick={() => reset()}>
            <Trans>Discard changes</Trans>
          </Button>
        )}
      </div>
    </form>
  );
}

function toForm(policy: SignInPolicy): Form {
  return {
    passwordMinLength: String(policy.passwordMinLength),
    secondFactor: policy.secondFactor,
    emailSignIn: policy.emailSignIn,
    sessionDays: String(policy.sessionDays),
    sessionsPerUser: String(policy.sessionsPerUser),
  };
}

function toBody({
  passwordMinLength,
  secondFactor,
  emailSignIn,
  sessionDays,
  sessionsPerUser,
}: Form): SignInPolicy {
  return {
    passwordMinLength: toNumber(passwordMinLength),
    secondFactor,
    emailSignIn,
    sessionDays: toNumber(sessionDays),
    sessionsPerUser: toNumber(sessionsPerUser),
  };
}

/** NaN for anything but digits, which the contract refuses. */
function toNumber(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}
