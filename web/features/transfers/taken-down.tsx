import { ShieldBan } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';

export function TakenDownBadge() {
  return (
    <Badge tone="danger" icon={<ShieldBan aria-hidden="true" />}>
      Taken down
    </Badge>
  );
}

/** What it means to the sender. */
export function TakenDownNote() {
  return (
    <p className="mt-4 max-w-[44rem] rounded-lg bg-danger-wash px-4 py-3 text-danger-ink">
      An administrator has closed this transfer because it was reported. Only you can still see it; its link
      and its downloads do not work. If this is a mistake, please write to whoever runs this service.
    </p>
  );
}
