import { useQuery } from '@tanstack/react-query';
import { Mail, Unlink, UserX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { findAccountInvitation } from '../../../contracts/accounts/registration.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { queryOf } from '../../api/endpoint-query.ts';
import { useSite } from '../../api/site.ts';
import { Button } from '../../components/actions/button.tsx';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { RegistrationForm } from './registration-form.tsx';

/** The token of an invitation to register, which its link carries in the fragment. */
export function readInvitation(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('invitation');
}

/** The registration form, or how to get an account where registration is restricted. */
export function SignUp() {
  const token = readInvitation(useLocation().hash);
  const { site, error } = useSite();
  if (token) return <InvitedSignUp key={token} token={token} />;
  // Whatever the page knows, the server decides.
  if (!site) return error ? <RegistrationForm /> : <LoadingForm />;
  const { mode, domains } = site.registration;
  if (mode === 'invite')
    return (
      <Closed icon={<Mail />}>
        Accounts are by invitation here. If you were invited, open the link in your invitation email.
        Otherwise ask your administrator.
      </Closed>
    );
  if (mode === 'closed')
    return (
      <Closed icon={<UserX />}>
        Nobody can sign up here at the moment. Ask your administrator for an account.
      </Closed>
    );
  return <RegistrationForm domains={domains} />;
}

function InvitedSignUp({ token }: { token: string }) {
  const { site } = useSite();
  const { data, error, refetch } = useQuery({
    ...queryOf(findAccountInvitation, { body: { token } }),
  });
  if (data) return <RegistrationForm invitation={{ token, email: data.email }} />;
  if (!error) return <LoadingForm />;
  const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
  return (
    <Closed
      icon={<Unlink />}
      action={
        isRefused ? (
          ['open', 'domains'].includes(site?.registration.mode ?? '') && (
            <LinkButton to={`${PAGES.auth}?mode=sign-up`} variant="secondary">
              Sign up without it
            </LinkButton>
          )
        ) : (
          <Button variant="secondary" onClick={() => void refetch()}>
            Try again
          </Button>
        )
      }
    >
      {errorDetail(error)}
    </Closed>
  );
}

function Closed({ icon, action, children }: { icon: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex items-start gap-4 rounded-lg border border-line-firm p-5 [&_svg]:mt-0.5 [&_svg]:size-6 [&_svg]:shrink-0 [&_svg]:text-accent-ink"
    >
      <span aria-hidden="true">{icon}</span>
      <div className="min-w-0">
        <p>{children}</p>
        {action && <div className="mt-4">{action}</div>}
      </div>
    </div>
  );
}

function LoadingForm() {
  return (
    <SkeletonGroup label="Loading the form" className="flex flex-col gap-5">
      {['name', 'username', 'email', 'password'].map((field) => (
        <Skeleton key={field} className="h-16" />
      ))}
    </SkeletonGroup>
  );
}
