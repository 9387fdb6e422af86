import { Trans } from '@lingui/react/macro';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';

/** Where a sign-in creates the account of somebody who has none. */
export function CreationTerms({ className }: { className: string }) {
  return (
    <p className={className}>
      <Trans>
        If this creates your account, you agree to the{' '}
        <a href={PAGES.terms} target="_blank" rel="noopener" className="link">
          Terms of Service
        </a>{' '}
        and{' '}
        <a href={PAGES.privacy} target="_blank" rel="noopener" className="link">
          Privacy Policy
        </a>
        .
      </Trans>
    </p>
  );
}
