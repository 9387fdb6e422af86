import { Trash2 } from 'lucide-react';
import type { Coupon } from '../../../contracts/admin/plans.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { Badge } from '../../components/badge.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { toast } from '../../components/toast.ts';
import { useIsPast } from '../../lib/use-is-past.ts';
import { countOf, formatCount, formatDateTime } from './wording.ts';

const COLUMNS: Column<Coupon>[] = [
  { label: 'Plan', render: ({ tier }) => tierLabel(tier) },
  { label: 'Discount', render: ({ discountPercent }) => `${discountPercent}%`, isNumber: true },
  {
    label: 'Free months',
    render: ({ freeMonths }) => (freeMonths === 0 ? 'None' : formatCount(freeMonths)),
    isNumber: true,
  },
  {
    label: 'Uses',
    render: ({ currentUses, maxUses }) =>
      maxUses === null
        ? `${formatCount(currentUses)}, unlimited`
        : `${formatCount(currentUses)} of ${formatCount(maxUses)}`,
    isNumber: true,
  },
  { label: 'Expires', render: (coupon) => <Expiry coupon={coupon} /> },
];

type CouponsTableProps = { coupons: Coupon[]; onDelete: (coupon: Coupon) => void };

export function CouponsTable({ coupons, onDelete }: CouponsTableProps) {
  return (
    <DataTable
      label="Coupons"
      rows={coupons}
      keyOf={({ id }) => id}
      heading={{ label: 'Code', render: (coupon) => <Code coupon={coupon} /> }}
      columns={COLUMNS}
      actions={(coupon) => (
        <>
          <CopyButton
            text={coupon.code}
            label={`Copy ${coupon.code}`}
            isIconOnly
            variant="ghost"
            size="sm"
            onCopied={() => toast({ title: 'Copied!', description: `${coupon.code} is on the clipboard.` })}
          />
          <IconButton
            label={`Delete ${coupon.code}`}
            icon={<Trash2 />}
            size="sm"
            onClick={() => onDelete(coupon)}
          />
        </>
      )}
    />
  );
}

function Code({ coupon: { code, maxUses, currentUses } }: { coupon: Coupon }) {
  const isUsedUp = maxUses !== null && currentUses >= maxUses;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="font-mono font-medium wrap-anywhere">{code}</span>
      {isUsedUp && <Badge>Used up</Badge>}
    </span>
  );
}

function Expiry({ coupon: { expiresAt } }: { coupon: Coupon }) {
  const isPast = useIsPast(expiresAt);
  if (expiresAt === null) return 'Never';
  if (isPast) return <span className="text-danger-ink">Expired</span>;
  return <time dateTime={expiresAt}>{formatDateTime(expiresAt)}</time>;
}

/** What a coupon gives: '20% off', '2 free months', or both. */
export function describeGift({
  discountPercent,
  freeMonths,
}: {
  discountPercent: number;
  freeMonths: number;
}) {
  const parts = [
    discountPercent > 0 && `${discountPercent}% off`,
    freeMonths > 0 && countOf(freeMonths, 'free month'),
  ].filter(Boolean);
  return parts.join(' and ') || 'nothing off';
}
