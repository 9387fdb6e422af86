import { Inbox } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';

/** Others have sent it in, through an upload invitation. */
export function ReceivedBadge() {
  return (
    <Badge tone="accent" icon={<Inbox aria-hidden="true" />}>
      Received
    </Badge>
  );
}
