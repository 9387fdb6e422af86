import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, RotateCw, X } from 'lucide-react';
import {
  createPickupCode,
  deletePickupCode,
  formatPickupCode,
  getPickupCode,
  type PickupCode,
} from '../../contracts/transfers/downloads/pickup.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { call } from '../api/call.ts';
import { queryOf } from '../api/endpoint-query.ts';
import { queryClient } from '../api/query-client.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/actions/button.tsx';
import { CopyButton } from '../components/actions/copy-button.tsx';
import { IconButton } from '../components/actions/icon-button.tsx';
import { toast } from '../components/feedback/toast.ts';
import { classNames } from '../lib/class-names.ts';
import { formatDateTime } from '../lib/time/format-dates.ts';
import { useIsPast } from '../lib/time/use-is-past.ts';

type PickupCodeProps = { transferId: string; className?: string };

/** A code for a link that is told by voice: offered, shown, replaced or voided. Not for encrypted transfers. */
export function PickupCodeControl({ transferId, className }: PickupCodeProps) {
  const params = { id: transferId };
  const query = queryOf(getPickupCode, { params });
  const { data } = useQuery({ ...query, staleTime: 0 });
  const show = (pickupCode: PickupCode | null) => queryClient.setQueryData(query.queryKey, { pickupCode });
  const creation = useAction(() => call(createPickupCode, { params }), { onSuccess: show });
  const voiding = useAction(() => call(deletePickupCode, { params }), {
    onSuccess: () => show(null),
    success: { title: t`The pickup code is no longer valid` },
  });
  const pickupCode = data?.pickupCode;
  const isOver = useIsPast(pickupCode?.expiresAt ?? null);
  if (!data) return null;
  if (!pickupCode || isOver)
    return (
      <div className={classNames('flex flex-wrap items-center gap-x-4 gap-y-2', className)}>
        <p className="max-w-max min-w-40 grow basis-0 text-sm text-ink-soft">
          <Trans>To tell the link by voice, use a code of six letters.</Trans>
        </p>
        <Button
          variant="secondary"
          size="sm"
          icon={<KeyRound aria-hidden="true" />}
          isBusy={creation.isPending}
          onClick={() => creation.mutate()}
        >
          <Trans>Create Pickup Code</Trans>
        </Button>
      </div>
    );
  return (
    <CodeView
      {...{ pickupCode, className }}
      isBusy={creation.isPending || voiding.isPending}
      onReplace={() => creation.mutate()}
      onVoid={() => voiding.mutate()}
    />
  );
}

type CodeViewProps = {
  pickupCode: PickupCode;
  className: string | undefined;
  isBusy: boolean;
  onReplace: () => void;
  onVoid: () => void;
};

function CodeView({ pickupCode, className, isBusy, onReplace, onVoid }: CodeViewProps) {
  const code = formatPickupCode(pickupCode.code);
  const end = formatDateTime(pickupCode.expiresAt);
  const address = `${window.location.host}${PAGES.pickup}`;
  return (
    <section
      aria-label={t`Pickup code`}
      className={classNames(
        'flex flex-wrap items-center gap-x-5 gap-y-3 rounded-lg bg-sunken px-5 py-4',
        className,
      )}
    >
      <div className="min-w-56 grow basis-0">
        <p className="font-mono text-2xl tracking-widest select-all">{code}</p>
        <p className="mt-1 text-sm wrap-anywhere text-ink-soft">
          <Trans>
            Pickup code for {address}, valid until {end}
          </Trans>
        </p>
      </div>
      <div className="flex items-center gap-1">
        <CopyButton
          text={code}
          label={t`Copy`}
          size="sm"
          variant="secondary"
          onCopied={() => toast({ title: t`Copied` })}
        />
        <IconButton
          label={t`New pickup code`}
          icon={<RotateCw />}
          size="sm"
          disabled={isBusy}
          onClick={onReplace}
        />
        <IconButton
          label={t`Void the pickup code`}
          icon={<X />}
          size="sm"
          disabled={isBusy}
          onClick={onVoid}
        />
      </div>
    </section>
  );
}
