import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { toast } from '../components/feedback/toast.ts';
import { classNames } from '../lib/class-names.ts';
import { Link } from '../lib/routing.tsx';
import { useReceivedKeys } from './readable-transfers.ts';
import type { ReceivedTransfer } from './received-keys.ts';

type MissingKeyProps = { transfer: ReceivedTransfer; className?: string };

/** Says why there is no whole link. */
export function MissingKey({ transfer, className }: MissingKeyProps) {
  return (
    <span className={classNames('block', className)}>
      {transfer.receivedKey === null ? <MissingOwnKey /> : <MissingReceivedKey transfer={transfer} />}
    </span>
  );
}

function MissingOwnKey() {
  return (
    <Trans>
      The key of this transfer is not in this browser. Copy the link in the browser that sent it, or{' '}
      <KeysLink>import its keys</KeysLink>.
    </Trans>
  );
}

function MissingReceivedKey({ transfer }: { transfer: ReceivedTransfer }) {
  const closed = useReceivedKeys([transfer]);
  if (closed?.get(transfer.id) === 'wrong-key')
    return (
      <Trans>
        The visitor sent a key that does not open these files. Please ask them to send the files again.
      </Trans>
    );
  return (
    <Trans>
      These files can be opened only with the key of your invitation, which is not in this browser. Open this
      page in the browser that created the invitation, or <KeysLink>import its keys</KeysLink>.
    </Trans>
  );
}

export function KeysLink({ children }: { children?: ReactNode }) {
  return (
    <Link to={`${PAGES.settingsDevice}#keys`} className="link">
      {children}
    </Link>
  );
}

export function tellMissingKey({ receivedKey }: Pick<ReceivedTransfer, 'receivedKey'>): void {
  toast({
    title: t`The key is not in this browser`,
    description:
      receivedKey === null
        ? t`Copy the link in the browser that sent it, or import its keys under Settings, This device.`
        : t`Open this page in the browser that created the invitation, or import its keys under Settings, This device.`,
    variant: 'destructive',
  });
}
