import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { History, LockKeyhole, Pencil, QrCode, Repeat, Trash2 } from 'lucide-react';
import { memo, useState } from 'react';
import type { Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { Button } from '../../components/actions/button.tsx';
import { IconButton } from '../../components/actions/icon-button.tsx';
import { Badge } from '../../components/feedback/badge.tsx';
import { Switch } from '../../components/form/switch.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { classNames } from '../../lib/class-names.ts';
import { useIsPast } from '../../lib/time/use-is-past.ts';
import { InvitationDialogs, type OpenDialog } from './invitation-dialogs.tsx';
import { InvitationFacts } from './invitation-facts.tsx';
import { CopyInvitationButton, MissingInboxKey, useInvitationLink } from './invitation-link.tsx';
import { useToggleInvitation } from './invitation-queries.ts';

type InvitationCardProps = { invitation: Invitation; onArrivals: (id: string) => void };
type PartProps = { invitation: Invitation; onOpen: (dialog: OpenDialog) => void };

export const InvitationCard = memo(function InvitationCard({ invitation, onArrivals }: InvitationCardProps) {
  const { id, title, message } = invitation;
  const isPast = useIsPast(invitation.expiresAt);
  const isOver = invitation.isExpired || isPast;
  const [dialog, setDialog] = useState<OpenDialog | null>();
  const titleId = `invitation-${id}`;
  return (
    <Surface as="article" aria-labelledby={titleId} className={classNames(isOver && 'bg-transparent')}>
      <div className="flex flex-col gap-x-6 gap-y-3 sm:flex-row sm:items-start sm:justify-between">
        <h2 id={titleId} className={classNames('min-w-0 text-xl wrap-anywhere', isOver && 'text-ink-faint')}>
          <bdi>{title}</bdi>
        </h2>
        <div className="flex shrink-0 items-center gap-x-5 max-sm:justify-between">
          <Tags invitation={invitation} isOver={isOver} />
          <ActiveSwitch invitation={invitation} isOver={isOver} />
        </div>
      </div>
      <InvitationMessage message={message} />
      <LinkBar invitation={invitation} isOver={isOver} onOpen={setDialog} />
      <InvitationFacts invitation={invitation} />
      <Actions invitation={invitation} onOpen={setDialog} onArrivals={onArrivals} />
      {/* Dialogs are mounted when first opened, because there may be hundreds of cards. */}
      {dialog !== undefined && (
        <InvitationDialogs invitation={invitation} dialog={dialog} onClose={() => setDialog(null)} />
      )}
    </Surface>
  );
});

type StateProps = {
  invitation: Invitation;
  /** Expired, so that it looks closed. */
  isOver: boolean;
};

function Tags({ invitation: { isActive, isRecurring, encryption }, isOver }: StateProps) {
  return (
    <p className="flex flex-wrap gap-2 sm:empty:hidden">
      {!isActive && (
        <Badge>
          <Trans>Disabled</Trans>
        </Badge>
      )}
      {isOver && (
        <Badge tone="danger">
          <Trans>Expired</Trans>
        </Badge>
      )}
      {encryption && (
        <Badge icon={<LockKeyhole aria-hidden="true" />}>
          <Trans>End-to-end encrypted</Trans>
        </Badge>
      )}
      {isRecurring && (
        <Badge tone="outline" icon={<Repeat aria-hidden="true" />}>
          <Trans>Recurring</Trans>
        </Badge>
      )}
    </p>
  );
}

/** Optimistic; reverts if the server refuses. */
function ActiveSwitch({ invitation: { id, isActive }, isOver }: StateProps) {
  const { mutate, isPending, variables } = useToggleInvitation(id);
  return (
    <Switch
      label={t`Active`}
      className="shrink-0"
      disabled={isOver}
      checked={!isOver && (isPending ? variables : isActive)}
      onChange={({ target }) => !isPending && mutate(target.checked)}
    />
  );
}

function LinkBar({ invitation, isOver, onOpen }: StateProps & PartProps) {
  const { link, isLoading } = useInvitationLink(invitation);
  if (link === undefined)
    return (
      <p
        className={classNames(
          'mt-5 rounded-lg border border-dashed border-line-firm px-5 py-4 text-sm text-ink-soft',
          isLoading && 'invisible',
        )}
      >
        <MissingInboxKey />
      </p>
    );
  return (
    <div
      className={classNames(
        'mt-5 flex flex-col gap-3 rounded-lg border p-2 sm:flex-row sm:items-center sm:rounded-full',
        isOver ? 'border-dashed border-line-firm' : 'border-line-firm bg-canvas',
      )}
    >
      <p
        className={classNames(
          'min-w-0 grow px-4 font-mono text-sm wrap-anywhere select-all max-sm:pt-2',
          isOver ? 'text-ink-faint' : 'text-ink-soft',
        )}
      >
        {link}
      </p>
      <div className="flex gap-2">
        {!isOver && (
          <IconButton
            label={t`QR code`}
            icon={<QrCode />}
            variant="secondary"
            onClick={() => onOpen('qr-code')}
          />
        )}
        <CopyInvitationButton link={link} variant={isOver ? 'ghost' : 'secondary'} className="max-sm:grow" />
      </div>
    </div>
  );
}

function Actions({ invitation, onOpen, onArrivals }: PartProps & Pick<InvitationCardProps, 'onArrivals'>) {
  const { id, arrivals } = invitation;
  return (
    <div className="mt-5 flex flex-wrap gap-2">
      <Button variant="secondary" size="sm" icon={<History />} onClick={() => onArrivals(id)}>
        <Trans>Received files</Trans>
        {arrivals.transfers > 0 && (
          <span className="tabular text-ink-faint">{formatCount(arrivals.transfers)}</span>
        )}
      </Button>
      <Button variant="secondary" size="sm" icon={<Pencil />} onClick={() => onOpen('edit')}>
        <Trans>Edit</Trans>
      </Button>
      <Button
        variant="ghost"
        size="sm"
        icon={<Trash2 />}
        className="ml-auto max-sm:w-control-sm max-sm:px-0"
        onClick={() => onOpen('delete')}
      >
        <span className="max-sm:sr-only">
          <Trans>Delete</Trans>
        </span>
      </Button>
    </div>
  );
}

/** Characters that don't fit into the lines a card shows. */
const LONG = 280;
const MANY_LINES = 4;

/** Long messages are collapsed. */
function InvitationMessage({ message }: { message: string | null }) {
  const [isWhole, setWhole] = useState(false);
  if (!message)
    return (
      <p className="mt-2 text-ink-faint">
        <Trans>No message</Trans>
      </p>
    );
  const isLong = message.length > LONG || message.split('\n').length > MANY_LINES;
  return (
    <div className="mt-2 max-w-[44rem]">
      <p
        dir="auto"
        className={classNames(
          'wrap-anywhere whitespace-pre-line text-ink-soft',
          isLong && !isWhole && 'line-clamp-4',
        )}
      >
        {message}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          className="link mt-1 py-1 text-sm"
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? t`Show less` : t`Show full message`}
        </button>
      )}
    </div>
  );
}
