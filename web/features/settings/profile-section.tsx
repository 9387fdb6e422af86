import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { EmailForm } from './email-form.tsx';
import { NameForm } from './name-form.tsx';
import { SettingsSection } from './settings-section.tsx';

/** Who one is here: what can be changed, and what cannot. */
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="mt-0.5 text-lg">{children}</dd>
    </div>
  );
}
