import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Plus, TicketPercent, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Coupon, listCoupons } from '../../../../contracts/admin/plans.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { useSite } from '../../../api/site.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useIsPast } from '../../../lib/time/use-is-past.ts';
import { AdminPage, Failure, LoadingRows } from '../admin-page.tsx';
import { useLast } from '../use-last.ts';
import { useDeleteCoupon } from './coupon-queries.ts';
import { CreateCouponDialog } from './create-coupon-dialog.tsx';

export function AdminCouponsPage() {
  const [isCreating, setCreating] = useState(false);
  const { site } = useSite();
  const [toDelete, setToDelete] = useState<Coupon | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(listCoupons),
    refetchOnMount: 'always',
  });
  const create = (
    <Button icon={<Plus aria-hidden="true" />} onClick={() => setCreating(true)}>
      <Trans>Create Coupon</Trans>
    </Button>
  );
  return (
    <AdminPage
      title={t`Coupons`}
      description={site?.payments === 'off' && t`Payments are off on this server, so coupons cannot be used.`}
      action={data && data.length > 0 && create}
    >
      {!data &&
        (error && !isFetching ? (
          <Failure title={t`The coupons couldn't be loaded`} error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingRows />
        ))}
      {data?.length === 0 && (
        <EmptyState
          icon={<TicketPercent />}
          title={t`No coupons yet`}
          description={t`A coupon gives a discount on a paid plan, or free months.`}
          action={create}
        />
      )}
      {data && data.length > 0 && <CouponsTable coupons={data} onDelete={setToDelete} />}
      <CreateCouponDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <Deletion coupon={toDelete} onClose={() => setToDelete(null)} />
    </AdminPage>
  );
}

function Deletion({ coupon, onClose }: { coupon: Coupon | null; onClose: () => void }) {
  const { mutate, isPending } = useDeleteCoupon();
  const shown = useLast(coupon ?? undefined);
  if (!shown) return null;
  return (
    <ConfirmDialog
      title={t`Delete this coupon?`}
      description={
        <Trans>
          <strong className="font-medium wrap-anywhere text-ink">{shown.code}</strong> can no longer be used.
          Subscriptions that began with it keep their discount.
        </Trans>
      }
      confirmLabel={t`Delete coupon`}
      isDestructive
      isOpen={coupon !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(shown, { onSettled: onClose })}
    />
  );
}

const COLUMNS: Column<Coupon>[] = [
  { label: t`Plan`, render: ({ tier }) => tierLabel(tier) },
  { label: t`Discount`, render: ({ discountPercent }) => `${discountPercent}%`, isNumber: true },
  {
    label: t`Free months`,
    render: ({ freeMonths }) => (freeMonths === 0 ? t`None` : formatCount(freeMonths)),
    isNumber: true,
  },
  {
    label: t`Uses`,
    render: ({ currentUses, maxUses }) =>
      maxUses === null
        ? t`${formatCount(currentUses)}, unlimited`
        : t`${formatCount(currentUses)} of ${formatCount(maxUses)}`,
    isNumber: true,
  },
  { label: t`Expires`, render: (coupon) => <Expiry coupon={coupon} /> },
];

type CouponsTableProps = { coupons: Coupon[]; onDelete: (coupon: Coupon) => void };

function CouponsTable({ coupons, onDelete }: CouponsTableProps) {
  return (
    <DataTable
      label={t`Coupons`}
      rows={coupons}
      keyOf={({ id }) => id}
      heading={{ label: t`Code`, render: (coupon) => <Code coupon={coupon} /> }}
      columns={COLUMNS}
      actions={(coupon) => (
        <>
          <CopyButton
            text={coupon.code}
            label={t`Copy ${coupon.code}`}
            isIconOnly
            variant="ghost"
            size="sm"
            onCopied={() => toast({ title: t`Copied!`, description: t`${coupon.code} is on the clipboard.` })}
          />
          <IconButton
            label={t`Delete ${coupon.code}`}
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
      {isUsedUp && (
        <Badge>
          <Trans>Used up</Trans>
        </Badge>
      )}
    </span>
  );
}

function Expiry({ coupon: { expiresAt } }: { coupon: Coupon }) {
  const isPast = useIsPast(expiresAt);
  if (expiresAt === null) return t`Never`;
  if (isPast)
    return (
      <span className="text-danger-ink">
        <Trans>Expired</Trans>
      </span>
    );
  return <time dateTime={expiresAt}>{formatDateTime(expiresAt)}</time>;
}
