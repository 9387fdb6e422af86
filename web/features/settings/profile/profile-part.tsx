import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';

export function ProfilePart({ user }: { user: CurrentUser }) {
  return (
    <>
      <ProfileSection user={user} />
      <PasswordSection user={user} />
    </>
  );
}
