import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { Link, useNavigate } from 'react-router';
import { type CurrentUser, RegisterInput } from '../../../../contracts/accounts/accounts.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { isEmail } from '../../../../contracts/values/fields.ts';
import { verifyEmailPath } from '../../../../contracts/values/links.ts';
import { setSessionUser } from '../../../api/session.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { TextField } from '../../../components/form/text-field.tsx';
import { Fact, SettingsSection } from '../settings-section.tsx';
import { useUnsavedChanges } from '../unsaved-changes.tsx';
import { checkEmailChange } from './profile-checks.ts';
import { useProfileSave } from './use-profile-save.ts';

export function ProfileSection({ user }: { user: CurrentUser }) {
  return (
    <SettingsSection id="profile">
      <dl className="grid gap-x-10 gap-y-4 min-[26rem]:grid-cols-2">
        <Fact name="Username">
          <span className="wrap-anywhere">{user.username}</span>
        </Fact>
        <Fact name="Tier">
          {tierLabel(user.tier)}
          {user.tier !== 'premium' && (
            <Link to="/pricing" className="link ml-3 inline-block py-0.5 text-sm">
              Upgrade
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

const NameInput = RegisterInput.pick({ name: true });

function NameForm({ user }: { user: CurrentUser }) {
  const form = useForm({ resolver: zodResolver(NameInput), values: { name: user.name } });
  const { register, handleSubmit, setFocus, watch, formState } = form;
  const { save, secondsLeft } = useProfileSave(form, ['name']);
  const isChanged = watch('name').trim() !== user.name;
  useUnsavedChanges('name', isChanged);
  const submit = handleSubmit(async ({ name }) => {
    const saved = await save({ name }, () => 'Your name has been changed.');
    if (!saved) return;
    setSessionUser(saved);
    // The button is about to be disabled and would lose the focus.
    setFocus('name');
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Name"
        autoComplete="name"
        hint="Shown to the people you send files to."
        error={formState.errors.name?.message}
        {...register('name')}
      />
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        disabled={!isChanged}
        isBusy={formState.isSubmitting}
        busyLabel="Saving..."
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Save Name
      </CoolDownButton>
    </form>
  );
}

/** A new address must be verified with a code; until then the account is on hold. */
function EmailForm({ user }: { user: CurrentUser }) {
  const navigate = useNavigate();
  const form = useForm({ values: { email: user.email, currentPassword: '' } });
  const { register, handleSubmit, setError, watch, formState } = form;
  const { save, secondsLeft } = useProfileSave(form, ['email', 'currentPassword']);
  const isChanged = watch('email').trim() !== user.email;
  useUnsavedChanges('email', isChanged);
  const submit = handleSubmit(async ({ email, currentPassword }) => {
    const refusal = checkEmailChange({ currentPassword });
    if (refusal) {
      const { title, description, errors } = refusal;
      toast({ title, description, variant: 'destructive' });
      setError('currentPassword', { message: errors.currentPassword }, { shouldFocus: true });
      return;
    }
    const saved = await save({ email: email.trim(), currentPassword }, describeSuccess);
    if (!saved) return;
    if (!saved.emailVerified)
      navigate(verifyEmailPath(saved.email), {
        state: { oldEmail: user.email, codeSentAt: Date.now() },
      });
    setSessionUser(saved);
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        error={formState.errors.email?.message}
        {...register('email', {
          validate: (email) => isEmail(email.trim()) || 'Please enter a valid email address',
        })}
      />
      {isChanged && (
        <div className="flex animate-fade-in flex-col gap-4 border-l-2 border-accent pl-4 sm:pl-5">
          <ul className="flex list-disc flex-col gap-1 pl-4 text-sm text-ink-soft marker:text-ink-faint">
            <li>We send a code to the new address. Until you enter it, your account is on hold.</li>
            <li>Let running uploads finish first: they stop when the address changes.</li>
            <li>
              A mail to <span className="wrap-anywhere text-ink">{user.email}</span> can take the change back.
            </li>
          </ul>
          <TextField
            label="Current Password"
            type="password"
            autoComplete="current-password"
            error={formState.errors.currentPassword?.message}
            {...register('currentPassword')}
          />
        </div>
      )}
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        disabled={!isChanged}
        isBusy={formState.isSubmitting}
        busyLabel="Saving..."
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Change Email
      </CoolDownButton>
    </form>
  );
}

/** A different spelling of the same address needs no verification. */
function describeSuccess({ emailVerified }: CurrentUser): string {
  return emailVerified
    ? 'Your email address has been changed.'
    : 'Please check your email to verify your new address.';
}
