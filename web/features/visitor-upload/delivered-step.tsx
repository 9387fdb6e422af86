import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, Plus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/uploads/invitations.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/actions/button.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { classNames } from '../../lib/class-names.ts';
import { InvitationFacts, InvitationHead } from './invitation-summary.tsx';
import { describeLeft } from './invitation-words.ts';
import type { StepProps } from './step.tsx';

type DeliveredStepProps = StepProps<'delivered'> & {
  /** Whether the details include this delivery. */
  isCurrent: boolean;
};

/** After a delivery: what arrived, and a way to send more without a new code. Stays on the page, unlike the toast. */
export function DeliveredStep({ details, visit, goTo, isCurrent }: DeliveredStepProps) {
  usePageTitle(details.title);
  const { email, delivery } = visit;
  const { senderName } = details;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Stage
      isBodyFirst
      head={<InvitationHead details={details} isCompact />}
      body={
        <Surface
          as="section"
          aria-labelledby="delivered"
          padding="lg"
          className="relative isolate overflow-hidden"
          data-testid="delivered"
        >
          <Ripples
            motion="arrive"
            tone="accent"
            count={7}
            className="absolute top-1/2 right-0 -z-10 size-[34rem] translate-x-1/2 -translate-y-1/2 opacity-40"
          />
          <span className="grid size-12 place-items-center rounded-full bg-accent text-on-accent">
            <Check aria-hidden="true" strokeWidth={2.5} className="size-6" />
          </span>
          <h2 id="delivered" ref={heading} tabIndex={-1} className="mt-5 text-2xl outline-none">
            <Trans>Delivered to {senderName}</Trans>
          </h2>
          <p className="tabular mt-2 text-lg">
            {plural(delivery.fileCount, { one: '# file', other: '# files' })},{' '}
            {formatSize(delivery.totalBytes)}
          </p>
          <p className="mt-3 max-w-[34rem] text-ink-soft">
            {details.encryption ? (
              <Trans>
                Only {senderName} can open them. We'll email a receipt to{' '}
                <span className="wrap-anywhere text-ink">{email}</span>.
              </Trans>
            ) : (
              <Trans>
                We'll email a receipt with the checksums to{' '}
                <span className="wrap-anywhere text-ink">{email}</span>.
              </Trans>
            )}
          </p>
          <SendMore details={details} isCurrent={isCurrent} onClick={() => goTo({ step: 'files', email })} />
        </Surface>
      }
      facts={
        <Surface aria-busy={!isCurrent} className="transition-opacity aria-busy:opacity-60 lg:mt-10">
          <InvitationFacts details={details} />
        </Surface>
      }
    />
  );
}

type SendMoreProps = { details: InvitationDetails; isCurrent: boolean; onClick: () => void };

/** Keeps its place until the remaining limits are known. */
function SendMore({ details, isCurrent, onClick }: SendMoreProps) {
  const left = describeLeft(details);
  if (isCurrent && !left) {
    return (
      <p className="mt-6 max-w-[34rem]">
        <Trans>That was all this invitation accepts. You can close this page.</Trans>
      </p>
    );
  }
  return (
    <div className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3">
      <Button icon={<Plus />} onClick={onClick}>
        <Trans>Send more files</Trans>
      </Button>
      <p className={classNames('tabular text-ink-soft', !isCurrent && 'invisible')}>{left ?? t`Loading`}</p>
    </div>
  );
}
