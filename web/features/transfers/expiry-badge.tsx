import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { Badge } from '../../components/badge.tsx';
import { useRelativeTime } from '../../lib/relative-time.ts';
import { useIsPast } from '../../lib/use-is-past.ts';

type Expiry = Pick<Transfer, 'expiresAt' | 'isExpired'>;

/** Whether a transfer has expired, also when that happens while the page is open. */
export function useIsExpired({ expiresAt, isExpired }: Expiry): boolean {
  const isPast = useIsPast(expiresAt);
  return isExpired || isPast;
}

/** 'Expires in 3 days', true for as long as the page is open, then 'Expired'. */
export function ExpiryBadge({ transfer }: { transfer: Expiry }) {
  if (useIsExpired(transfer)) return <Badge tone="danger">Expired</Badge>;
  if (transfer.expiresAt === null) return <Badge>Does not expire</Badge>;
  return <LiveBadge expiresAt={transfer.expiresAt} />;
}

/** 'Limit reached', until it has expired: then that is what matters. */
export function LimitBadge({ transfer }: { transfer: Expiry & Pick<Transfer, 'isLimitReached'> }) {
  const isExpired = useIsExpired(transfer);
  return transfer.isLimitReached && !isExpired && <Badge tone="danger">Limit reached</Badge>;
}

function LiveBadge({ expiresAt }: { expiresAt: string }) {
  return <Badge>Expires {useRelativeTime(expiresAt)}</Badge>;
}
