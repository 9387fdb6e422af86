import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CircleAlert, CircleCheck } from 'lucide-react';
import type { ProviderTest } from '../../../../contracts/admin/identity-providers.ts';

/** What a provider says about itself. */
export function TestResult({ result }: { result: ProviderTest }) {
  const { isUsable, problems, authorizationEndpoint, signingAlgorithms } = result;
  const Icon = isUsable ? CircleCheck : CircleAlert;
  return (
    <div
      role="status"
      className="flex animate-fade-in items-start gap-3 rounded-lg border border-line-firm p-4 text-sm"
    >
      <Icon
        aria-hidden="true"
        className={`mt-px size-5 shrink-0 ${isUsable ? 'text-accent-ink' : 'text-danger-ink'}`}
      />
      <div className="min-w-0">
        <p className="text-base font-medium">
          {isUsable ? t`The provider answers and can be used.` : t`The provider can't be used.`}
        </p>
        {problems.map((problem) => (
          <p key={problem} className="mt-1">
            {problem}
          </p>
        ))}
        {authorizationEndpoint && (
          <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-ink-soft">
            <Fact name={t`Sign-in page`}>{authorizationEndpoint}</Fact>
            <Fact name={t`Signatures`}>{signingAlgorithms.join(', ')}</Fact>
            <Fact name={t`Signing out`}>{describeLogout(result)}</Fact>
          </dl>
        )}
        {isUsable && (
          <p className="mt-3 text-ink-soft">
            <Trans>
              Client ID and secret are only tested by a sign-in. Link the provider to your own account in
              Settings › Security to try it.
            </Trans>
          </p>
        )}
      </div>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <>
      <dt className="text-ink-faint">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}

function describeLogout({ supportsLogout, supportsBackchannelLogout }: ProviderTest): string {
  if (supportsLogout && supportsBackchannelLogout) return t`Signing out here or there signs out at both.`;
  if (supportsLogout) return t`Signing out here signs out there, too.`;
  if (supportsBackchannelLogout) return t`Signing out there signs out here, too.`;
  return t`Here and there separately.`;
}
