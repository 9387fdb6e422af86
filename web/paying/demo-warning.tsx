import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { TriangleAlert } from 'lucide-react';
import { useSession } from '../api/session/session.ts';
import { useSite } from '../api/site.ts';

/** Warns administrators when a public server gives paid plans away through demo payments. */
export function DemoWarning() {
  const { user } = useSession();
  const { site } = useSite();
  if (!user?.isAdmin || !site?.isDemoPublic) return null;
  return (
    <section
      aria-label={t`Demo payments`}
      className="flex items-start gap-3 border-b border-danger-ink bg-danger-wash px-gutter py-3 text-sm"
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-danger-ink" />
      <p className="min-w-0">
        <Trans>
          <strong className="font-medium">Demo payments are on.</strong> Anyone who registers can get a paid
          plan for free. Set <code>PAYMENTS=off</code> or the Stripe keys.
        </Trans>
      </p>
    </section>
  );
}
