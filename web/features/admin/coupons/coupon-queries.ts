import type { z } from 'zod';
import {
  type Coupon,
  type CreateCouponInput,
  createCoupon,
  deleteCoupon,
  listCoupons,
} from '../../../../contracts/admin/plans.ts';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useAct } from '../use-act.ts';

export const COUPONS_KEY = [listCoupons.path];
const lists = [listCoupons.path];

export function useCreateCoupon() {
  return useAct((body: z.input<typeof CreateCouponInput>) => call(createCoupon, { body }), {
    onDone: (coupon) => changeCoupons((listed) => [coupon, ...listed]),
    done: ({ code }) => ({ title: 'Coupon created', description: `${code} can be used from now on.` }),
  });
}

export function useDeleteCoupon() {
  return useAct(({ id }: Coupon) => call(deleteCoupon, { params: { id } }), {
    lists,
    onDone: (_nothing, { id }) => changeCoupons((listed) => listed.filter((each) => each.id !== id)),
    done: (_nothing, { code }) => ({
      title: 'Coupon deleted',
      description: `${code} can no longer be used.`,
    }),
  });
}

function changeCoupons(change: (listed: Coupon[]) => Coupon[]): void {
  queryClient.setQueryData<Coupon[]>(COUPONS_KEY, (listed) => listed && change(listed));
}
