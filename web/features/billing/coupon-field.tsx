import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { TicketPercent, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import type { CouponPrice } from '../../../contracts/plans/billing.ts';
import { Button } from '../../components/actions/button.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { describeCoupon } from './describe-coupon.ts';

type CouponFieldProps = {
  coupon: CouponPrice | null;
  isBusy: boolean;
  /** Rejects if the coupon is refused. */
  onApply: (code: string) => Promise<void>;
  onRemove: () => Promise<void>;
};

export function CouponField({ coupon, isBusy, onApply, onRemove }: CouponFieldProps) {
  const [code, setCode] = useState('');
  const [refusal, setRefusal] = useState<string>();
  // Applying or removing replaces the focused control, so focus its replacement, but not when the dialog opens.
  const [isTouched, setTouched] = useState(false);
  const attempt = async (deed: () => Promise<void>) => {
    if (isBusy) return;
    setRefusal(undefined);
    setTouched(true);
    try {
      await deed();
      setCode('');
    } catch (error) {
      setRefusal((error instanceof ApiError && error.errors.code) || errorDetail(error));
    }
  };
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const typed = code.trim().toUpperCase();
    void attempt(typed ? () => onApply(typed) : refuseNothing);
  };
  if (coupon)
    return (
      <AppliedCoupon
        {...{ coupon, isBusy, refusal }}
        isFocused={isTouched}
        onRemove={() => void attempt(onRemove)}
      />
    );
  return (
    <form noValidate onSubmit={apply} aria-label={t`Coupon`} className="my-6 border-y border-line py-5">
      <div className="flex items-start gap-3">
        <TextField
          label={t`Coupon code`}
          isOptional
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={50}
          autoFocus={isTouched}
          className="grow"
          value={code}
          error={refusal}
          onChange={({ target }) => setCode(target.value.toUpperCase())}
        />
        <Button type="submit" variant="secondary" className="mt-[1.6875rem]" isBusy={isBusy}>
          <Trans>Apply</Trans>
        </Button>
      </div>
    </form>
  );
}

function refuseNothing(): Promise<void> {
  return Promise.reject(new Error(t`Please enter a coupon code`));
}

type AppliedCouponProps = {
  coupon: CouponPrice;
  isBusy: boolean;
  isFocused: boolean;
  refusal: string | undefined;
  onRemove: () => void;
};

function AppliedCoupon({ coupon, isBusy, isFocused, refusal, onRemove }: AppliedCouponProps) {
  return (
    <div className="my-6 border-y border-line py-5">
      <div className="flex items-center gap-3">
        <TicketPercent aria-hidden="true" strokeWidth={1.75} className="size-6 shrink-0 text-accent-ink" />
        <p className="min-w-0 grow">
          <strong className="font-semibold wrap-anywhere">{coupon.code}</strong>
          <span className="block text-sm text-ink-soft">{describeCoupon(coupon)}</span>
        </p>
        <Button
          variant="ghost"
          size="sm"
          icon={<X />}
          isBusy={isBusy}
          autoFocus={isFocused}
          aria-label={t`Remove coupon`}
          onClick={onRemove}
        >
          <Trans>Remove</Trans>
        </Button>
      </div>
      {refusal && (
        <p role="alert" className="mt-2 text-sm text-danger-ink">
          {refusal}
        </p>
      )}
    </div>
  );
}
