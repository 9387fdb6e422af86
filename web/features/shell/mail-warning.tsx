import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MailX } from 'lucide-react';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { useSession } from '../../api/session/session.ts';
import { Link } from '../../lib/routing.tsx';

/** For administrators: says once that no email leaves the server, instead of at every recipient. */
export function MailWarning() {
  const { user } = useSession();
  if (user?.hasMailServer !== false) return null;
  return (
    <section
      aria-label={t`No mail server`}
      className="flex items-start gap-3 border-b border-line-firm bg-surface px-gutter py-2.5 text-sm"
    >
      <MailX aria-hidden="true" className="size-5 shrink-0 text-danger-ink" />
      <p className="min-w-0">
        <Trans>
          <strong className="font-medium">Mails are not sent: no mail server is set.</strong>{' '}
          <Link to={`${PAGES.adminSystem}#checks`} className="link">
            How to set one
          </Link>
        </Trans>
      </p>
    </section>
  );
}
