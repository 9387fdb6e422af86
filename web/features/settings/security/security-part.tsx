import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { AuthenticatorSection } from './authenticator-section.tsx';
import { DeleteAccountSection } from './delete-account-section.tsx';
import { EventsSection } from './events-section.tsx';
import { IdentitiesSection } from './identities-section.tsx';
import { PasskeysSection } from './passkeys-section.tsx';
import { RecoveryCodesSection } from './recovery-codes-section.tsx';

import { SessionsSection } from './sessions-section.tsx';

export function SecurityPart({ user }: { user: CurrentUser }) {
  return (
    <>
      <PasskeysSection />
      <AuthenticatorSection />
      <RecoveryCodesSection />
      <IdentitiesSection />
      <SessionsSection />
      <EventsSection />
      <DeleteAccountSection user={user} />
    </>
  );
}
