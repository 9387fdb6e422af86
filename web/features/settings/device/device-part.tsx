import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { DeviceSection } from './device-section.tsx';
import { KeysSection } from './keys-section.tsx';

export function DevicePart({ user }: { user: CurrentUser }) {
  return (
    <>
      <DeviceSection />
      <KeysSection user={user} />
    </>
  );
}
