import { t } from '@lingui/core/macro';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { type Coupon, createCoupon, deleteCoupon, listCoupons } from '../../../../contracts/admin/plans.ts';
import { call } from '../../../api/call.ts';
import { addRow, removeRows } from '../../../api/endpoint-query.ts';
import { useAction } from '../../../api/use-action.ts';

const outdated = [listCoupons];

export function useCreateCoupon<Form extends FieldValues>(form: UseFormReturn<Form>) {
  return useAction(createCoupon, {
    form,
    onSuccess: (coupon) => addRow(listCoupons, coupon),
    success: ({ code }) => ({ title: t`Coupon created`, description: t`${code} can be used from now on.` }),
  });
}

export function useDeleteCoupon() {
  return useAction(({ id }: Coupon) => call(deleteCoupon, { params: { id } }), {
    outdated,
    onSuccess: (_nothing, { id }) => removeRows(listCoupons, id),
    success: (_nothing, { code }) => ({
      title: t`Coupon deleted`,
      description: t`${code} can no longer be used.`,
    }),
  });
}
