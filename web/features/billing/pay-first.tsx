import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { payNowPath } from '../../billing/pay-now.ts';
import { ConfirmDialog } from '../../components/actions/confirm-dialog.tsx';
import type { PlanChangeProps } from './chosen-plan.tsx';

/** What is owed comes before any change of the plan. */
export function PayFirst({ onOpenChange, onClose }: PlanChangeProps) {
  const navigate = useNavigate();
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={onClose}
      title="A payment is open"
      description="Your last payment failed. Please pay it first, also with another card; then you can change your plan."
      confirmLabel="Pay now"
      onConfirm={() => void navigate(payNowPath)}
    />
  );
}
