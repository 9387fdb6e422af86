import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useLocation } from 'wouter';
import { type CurrentUser, RegisterInput } from '../../../../contracts/accounts/accounts.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { verifyEmailPath } from '../../../../contracts/values/addresses/links.ts';
import { isEmail } from '../../../../contracts/values/fields.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { setSessionUser } from '../../../api/session/session.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Link } from '../../../lib/routing.tsx';
import { useHasPassword } from '../security/factor-queries.ts';
import { Fact, SettingsSection } from '../settings-section.tsx';
import { useUnsavedChanges } from '../unsaved-changes.tsx';
import { checkEmailChange, toastRefusal } from './profile-checks.ts';
import { useProfileSave } from './use-profile-save.ts';

export function ProfileSection({ user }: { user: CurrentUser }) {
  return (
    <SettingsSection id="profile" title={t`Profile`}>
      <dl className="grid gap-x-10 gap-y-4 min-[26rem]:grid-cols-2">
        <Fact name={t`Username`}>
          <span className="wrap-anywhere">{user.username}</span>
        </Fact>
        <Fact name={t`Tier`}>
          {tierLabel(user.tier)}
          {user.tier !== 'premium' && (
            <Link to="/pricing" className="link ml-3 inline-block py-0.5 text-sm">
              <Trans>Upgrade</Trans>
            </Link>
          )}
        </Fact>
      </dl>
      <div className="mt-8 flex flex-col gap-8">
        <NameForm user={user} />
        <EmailForm user={user} />
      </div>
    </SettingsSection>
  );
}

const checkName = checkWith<{ name: string }>(RegisterInput.pick({ name: true }));

function NameForm({ user }: { user: CurrentUser }) {
  const form = useContractForm({ check: checkName, values: { name: user.name } });
  const { handleSubmit, setFocus, watch } = form;
  const { run, isPending, secondsLeft } = useProfileSave({
    form,
    describe: () => t`Your name has been changed.`,
    onSaved: setSessionUser,
  });
  const isChanged = watch('name').trim() !== user.name;
  useUnsavedChanges('name', isChanged);
  const submit = handleSubmit(async (body) => {
    // The button is about to be disabled and would lose the focus.
    if (await run({ body })) setFocus('name');
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={t`Name`}
        autoComplete="name"
        hint={t`Shown to the people you send files to.`}
        {...bindField(form, 'name')}
      />
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        disabled={!isChanged}
        isBusy={isPending}
        busyLabel={t`Saving...`}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        <Trans>Save Name</Trans>
      </CoolDownButton>
    </form>
  );
}

/** A new address must be verified with a code; until then the account is on hold. */
function EmailForm({ user }: { user: CurrentUser }) {
  const oldEmail = user.email;
  const hasPassword = useHasPassword();
  const [, navigate] = useLocation();
  const form = useContractForm({
    check: ({ email, currentPassword }) =>
      isEmail(email.trim())
        ? { ...checkEmailChange({ currentPassword }, { hasPassword })?.errors }
        : { email: t`Please enter a valid email address` },
    values: { email: user.email, currentPassword: '' },
  });
  const { handleSubmit, watch } = form;
  const { mutate, isPending, secondsLeft } = useProfileSave({
    form,
    describe: describeSuccess,
    onSaved: (saved) => {
      if (!saved.emailVerified)
        navigate(verifyEmailPath(saved.email), {
          state: { oldEmail: user.email, codeSentAt: Date.now() },
        });
      setSessionUser(saved);
    },
  });
  const isChanged = watch('email').trim() !== user.email;
  useUnsavedChanges('email', isChanged);
  const submit = handleSubmit(
    ({ email, currentPassword }) =>
      mutate({ body: { email: email.trim(), ...(hasPassword && { currentPassword }) } }),
    ({ email }) => {
      if (!email) toastRefusal(form, checkEmailChange(form.getValues(), { hasPassword }));
    },
  );
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <TextField label={t`Email`} type="email" autoComplete="email" {...bindField(form, 'email')} />
      {isChanged && (
        <div className="flex animate-fade-in flex-col gap-4 border-l-2 border-accent pl-4 sm:pl-5">
          <ul className="flex list-disc flex-col gap-1 pl-4 text-sm text-ink-soft marker:text-ink-faint">
            <li>
              <Trans>
                We'll send a code to your new address. Your account is on hold until you enter it.
              </Trans>
            </li>
            <li>
              <Trans>Wait for running uploads to finish, because changing your address stops them.</Trans>
            </li>
            <li>
              <Trans>
                We'll email <span className="wrap-anywhere text-ink">{oldEmail}</span> a link to undo the
                change.
              </Trans>
            </li>
          </ul>
          {hasPassword && (
            <TextField
              label={t`Current Password`}
              type="password"
              autoComplete="current-password"
              {...bindField(form, 'currentPassword')}
            />
          )}
        </div>
      )}
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        disabled={!isChanged}
        isBusy={isPending}
        busyLabel={t`Saving...`}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        <Trans>Change Email</Trans>
      </CoolDownButton>
    </form>
  );
}

/** A different spelling of the same address needs no verification. */
function describeSuccess({ emailVerified }: CurrentUser): string {
  return emailVerified
    ? t`Your email address has been changed.`
    : t`Please check your email to verify your new address.`;
}
