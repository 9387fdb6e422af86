import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { PAGES } from '../../contracts/values/pages.ts';
import { toast } from '../components/feedback/toast.ts';
import { classNames } from '../lib/class-names.ts';
import { Link } from '../lib/routing.tsx';

/** Says why there is no whole link. */
export function MissingKey({ className }: { className?: string }) {
  return (
    <span className={classNames('block', className)}>
      <Trans>
        The key of this transfer is not in this browser. Copy the link in the browser that sent it, or{' '}
        <Link to={`${PAGES.settingsDevice}#keys`} className="link">
          import its keys
        </Link>
        .
      </Trans>
    </span>
  );
}

export function tellMissingKey(): void {
  toast({
    title: t`The key is not in this browser`,
    description: t`Copy the link in the browser that sent it, or import its keys under Settings, This device.`,
    variant: 'destructive',
  });
}
