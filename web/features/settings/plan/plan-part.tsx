import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { PlanSection } from './plan-section.tsx';
import { UsageSection } from './usage-section.tsx';

export function PlanPart({ user }: { user: CurrentUser }) {
  return (
    <>
      <PlanSection user={user} />
      <UsageSection user={user} />
    </>
  );
}
