import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useWatch } from 'react-hook-form';
import {
  type AdminRegistration,
  getRegistration,
  RegistrationInput,
  type RegistrationMode,
  updateRegistration,
} from '../../../../contracts/accounts/registration.ts';
import { getSite } from '../../../../contracts/system.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { queryClient, queryKeyOf } from '../../../api/query-client.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { LeaveGuard } from '../../../components/layout/leave-guard.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { AdminPage, Failure } from '../admin-page.tsx';
import { splitDomains } from '../form-values.ts';
import { AccountInvitations } from './account-invitations.tsx';
import { SignInSettings } from './sign-in-settings.tsx';

export function AdminRegistrationPage() {
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(getRegistration),
    refetchOnMount: 'always',
  });
  return (
    <AdminPage
      title={t`Registration`}
      description={t`Who may create an account. Changes apply immediately; existing accounts stay. You can always create users yourself.`}
    >
      {data && (
        <div className="flex flex-col gap-rhythm">
          <RegistrationSettings registration={data} />
          <SignInSettings />
          <AccountInvitations mode={data.mode} />
        </div>
      )}
      {!data && error && !isFetching && (
        <Failure title={t`The settings couldn't be loaded`} error={error} onRetry={() => void refetch()} />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label={t`Loading the settings`} className="flex max-w-[40rem] flex-col gap-5">
          <Skeleton className="h-64" />
          <Skeleton className="h-12" />
        </SkeletonGroup>
      )}
    </AdminPage>
  );
}

const MODES: Record<RegistrationMode, { label: string; description: string }> = {
  open: { label: t`Open`, description: t`Anyone can create an account.` },
  domains: {
    label: t`Certain domains`,
    description: t`People with an email address of the domains below, and people you invite.`,
  },
  invite: { label: t`Invitation only`, description: t`People you invite by email.` },
  closed: { label: t`Closed`, description: t`Nobody. Only you create accounts; open invitations wait.` },
};
const MODE_NAMES = Object.keys(MODES) as RegistrationMode[];

type Form = { mode: RegistrationMode; domains: string; visitorDomains: string };

const check = checkWith<Form>(RegistrationInput, toBody);

function RegistrationSettings({ registration }: { registration: AdminRegistration }) {
  const form = useContractForm({ check, defaultValues: toForm(registration) });
  const { register, handleSubmit, reset, control, formState } = form;
  const { isDirty, isSubmitting } = formState;
  const mode = useWatch({ control, name: 'mode' });
  const { run } = useAction(updateRegistration, {
    form,
    refreshes: [getSite],
    onSuccess: (saved) => queryClient.setQueryData(queryKeyOf(getRegistration), saved),
    success: (saved) => ({ title: t`Settings saved`, description: MODES[saved.mode].description }),
  });
  useEffect(() => reset(toForm(registration)), [registration, reset]);
  const submit = handleSubmit((values) => run({ body: toBody(values) }));
  const domainField = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
  return (
    <form noValidate aria-label={t`Registration`} onSubmit={submit} className="max-w-[44rem]">
      <Surface as="fieldset" className="flex flex-col gap-1">
        <legend className="float-left mb-3 w-full font-heading text-xl">
          <Trans>Who may register</Trans>
        </legend>
        {MODE_NAMES.map((name) => (
          <label
            key={name}
            className="-mx-3 flex cursor-pointer items-start gap-3 rounded-md px-3 py-2.5 hover:bg-hover"
          >
            <input
              type="radio"
              value={name}
              className="size-6 shrink-0 accent-accent-ink"
              {...register('mode')}
            />
            <span className="min-w-0">
              <span className="font-medium">{MODES[name].label}</span>
              <span className="block text-sm text-ink-soft">{MODES[name].description}</span>
            </span>
          </label>
        ))}
        {mode === 'domains' && (
          <TextField
            label={t`Domains`}
            placeholder="example.org, example.com"
            hint={t`Separated by commas. Subdomains count as separate domains.`}
            className="mt-3"
            {...domainField}
            {...bindField(form, 'domains')}
          />
        )}
        <TextField
          label={t`Domains of visitors`}
          isOptional
          placeholder="partner.example"
          hint={t`Who may send files through upload invitations. If empty, anyone with a verified address.`}
          className="mt-5"
          {...domainField}
          {...bindField(form, 'visitorDomains')}
        />
      </Surface>
      <Source registration={registration} />
      <div className="mt-6 flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={!isDirty} isBusy={isSubmitting} busyLabel={t`Saving...`}>
          <Trans>Save Settings</Trans>
        </Button>
        {isDirty && (
          <Button variant="ghost" onClick={() => reset()}>
            <Trans>Discard changes</Trans>
          </Button>
        )}
      </div>
      <LeaveGuard
        isActive={isDirty}
        title={t`Discard your changes?`}
        description={t`Your unsaved changes will be lost.`}
        confirmLabel={t`Discard changes`}
      />
    </form>
  );
}

/** Says whether the saved settings or the environment variables apply; saved ones win. */
function Source({ registration: { source, configured } }: { registration: AdminRegistration }) {
  const setting = [
    `REGISTRATION=${configured.mode}`,
    configured.domains.length > 0 && `REGISTRATION_DOMAINS=${configured.domains.join(',')}`,
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <p className="mt-4 text-sm text-ink-soft">
      {source === 'environment' ? (
        <Trans>
          These values come from the environment: <code className="wrap-anywhere">{setting}</code>. Values
          saved here override them.
        </Trans>
      ) : (
        <Trans>
          Saved here, overriding the environment: <code className="wrap-anywhere">{setting}</code>
        </Trans>
      )}
    </p>
  );
}

function toForm({ mode, domains, visitorDomains }: AdminRegistration): Form {
  return { mode, domains: domains.join(', '), visitorDomains: visitorDomains.join(', ') };
}

function toBody({ mode, domains, visitorDomains }: Form): RegistrationInput {
  return { mode, domains: splitDomains(domains), visitorDomains: splitDomains(visitorDomains) };
}
