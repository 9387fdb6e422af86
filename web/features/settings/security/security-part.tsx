import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { DeleteAccountSection } from './delete-account-section.tsx';
import { EventsSection } from './events-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

export function SecurityPart({ user }: { user: CurrentUser }) {
  return (
    <>
      <SessionsSection />
      <EventsSection />
      <DeleteAccountSection user={user} />
    </>
  );
}
