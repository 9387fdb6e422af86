import type { Transfer } from '../../../contracts/transfers.ts';
import { Badge } from '../../components/badge.tsx';
import { useRelativeTime } from '../../lib/relative-time.ts';

type Expiry = Pick<Transfer, 'expiresAt' | 'isExpired'>;

/** 'Expires in 3 days', true for as long as the page is open, then 'Expired'. */
export function ExpiryBadge({ transfer }: { transfer: Expiry }) {
  if (transfer.isExpired) return <Badge tone="danger">Expired</Badge>;
  if (transfer.expiresAt === null) return <Badge>Does not expire</Badge>;
  return <LiveBadge expiresAt={transfer.expiresAt} />;
}

function LiveBadge({ expiresAt }: { expiresAt: string }) {
  const relativeTime = useRelativeTime(expiresAt);
  if (Date.parse(expiresAt) <= Date.now()) return <Badge tone="danger">Expired</Badge>;
  return <Badge>Expires {relativeTime}</Badge>;
}
