import { useQuery } from '@tanstack/react-query';
import { Plus, TicketPercent } from 'lucide-react';
import { useState } from 'react';
import { type Coupon, listCoupons } from '../../../contracts/admin/plans.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../api/site.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AdminPage } from './admin-page.tsx';
import { Failure, LoadingRows } from './admin-states.tsx';
import { COUPONS_KEY, useDeleteCoupon } from './coupon-queries.ts';
import { CouponsTable } from './coupons-table.tsx';
import { CreateCouponDialog } from './create-coupon-dialog.tsx';
import { useLast } from './use-last.ts';

export function AdminCouponsPage() {
  const [isCreating, setCreating] = useState(false);
  const { site } = useSite();
  const [leaving, setLeaving] = useState<Coupon | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: COUPONS_KEY,
    queryFn: ({ signal }) => call(listCoupons, { signal }),
    refetchOnMount: 'always',
  });
  const create = (
    <Button icon={<Plus aria-hidden="true" />} onClick={() => setCreating(true)}>
      Create Coupon
    </Button>
  );
  return (
    <AdminPage
      title="Coupons"
      description={site?.payments === 'off' && 'Payments are off on this server, so coupons cannot be used.'}
      action={data && data.length > 0 && create}
    >
      {!data &&
        (error && !isFetching ? (
          <Failure what="The coupons" error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingRows what="coupons" />
        ))}
      {data?.length === 0 && (
        <EmptyState
          icon={<TicketPercent />}
          title="No coupons yet"
          description="A coupon takes something off the price of a paid plan, or gives free months."
          action={create}
        />
      )}
      {data && data.length > 0 && <CouponsTable coupons={data} onDelete={setLeaving} />}
      <CreateCouponDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <Deletion coupon={leaving} onClose={() => setLeaving(null)} />
    </AdminPage>
  );
}

function Deletion({ coupon, onClose }: { coupon: Coupon | null; onClose: () => void }) {
  const { mutate, isPending } = useDeleteCoupon();
  const shown = useLast(coupon ?? undefined);
  if (!shown) return null;
  return (
    <ConfirmDialog
      title="Delete this coupon?"
      description={
        <>
          <strong className="font-medium wrap-anywhere text-ink">{shown.code}</strong> can no longer be used.
          Subscriptions that began with it keep their discount.
        </>
      }
      confirmLabel="Delete coupon"
      isDestructive
      isOpen={coupon !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(shown, { onSettled: onClose })}
    />
  );
}
