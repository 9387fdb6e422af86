import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  ArrowRight,
  CalendarPlus,
  ChartNoAxesColumn,
  CopyCheck,
  Download,
  ExternalLink,
  FilePlus2,
  Files,
  Lock,
  LockKeyhole,
  LockKeyholeOpen,
  Pencil,
  QrCode,
  RotateCcw,
  Send,
  Trash2,
} from 'lucide-react';
import { type MouseEvent, memo, type ReactNode } from 'react';
import { addressOf } from '../../../../contracts/endpoint.ts';
import { tierIncludes } from '../../../../contracts/plans/tiers.ts';
import { showOwnThumbnail } from '../../../../contracts/transfers/downloads/previews.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { ListedTransfer } from '../../../../contracts/transfers/transfers.ts';
import {
  fileDownloadPath,
  sharePath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import {
  addFilesPage,
  transferAnalyticsPage,
  transferPage,
} from '../../../../contracts/values/addresses/pages.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { useSession } from '../../../api/session/session.ts';
import { Button } from '../../../components/actions/button.tsx';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { Menu, MenuItem, MenuLine, MenuLink } from '../../../components/actions/menu.tsx';
import { TickBox } from '../../../components/form/tick-box.tsx';
import { Picture } from '../../../components/media/thumbnail.tsx';
import { useWholeLink } from '../../../key-ring/readable-transfers.ts';
import { classNames } from '../../../lib/class-names.ts';
import { Link } from '../../../lib/routing.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useIsPast } from '../../../lib/time/use-is-past.ts';
import { canBeUndone } from '../deletion.ts';
import { ExpiryBadge, LimitBadge, ScanBadge, TakenDownBadge, useIsExpired } from '../transfer-badges.tsx';
import { CopyLinkButton } from '../transfer-dialogs.tsx';
import { useIsLinkOpen } from '../use-is-link-open.ts';
import { downloadsOf, recipientsOf } from '../wording.ts';
import type { CardDialog } from './list-dialogs.tsx';
import { FROM_LIST } from './list-view.ts';

/** The same for all cards, and stable, so that cards are not rendered again. */
export type CardActions = {
  onOpen: (dialog: CardDialog, transfer: ListedTransfer) => void;
  onDelete: (transfer: ListedTransfer) => void;
  /** With `isRange`, everything between this card and the last one that was chosen. */
  onChoose: (transfer: ListedTransfer, isChosen: boolean, isRange: boolean) => void;
};

type CardProps = {
  transfer: ListedTransfer;
  isChosen: boolean;
  /** Something is selected, so all checkboxes are shown. */
  isChoosing: boolean;
  actions: CardActions;
};

/** ID of a card's heading. */
export function titleIdOf(id: string): string {
  return `title-of-${id}`;
}

/** Folds away while it is deleted, and returns if that fails. */
export const TransferItem = memo(function TransferItem({
  isLeaving,
  ...card
}: CardProps & { isLeaving: boolean }) {
  return (
    <div
      inert={isLeaving}
      className={classNames(
        'grid transition-[grid-template-rows,opacity] duration-(--calm) ease-settle',
        isLeaving ? 'grid-rows-[0fr] opacity-0' : 'grid-rows-[1fr]',
      )}
    >
      <div className={classNames('min-h-0 min-w-0', isLeaving && 'overflow-hidden')}>
        {/* Remounted while it folds, so that the focused button is gone and the page gets the focus. */}
        <TransferCard key={String(isLeaving)} {...card} />
      </div>
    </div>
  );
});

function TransferCard({ transfer, isChosen, isChoosing, actions }: CardProps) {
  const { id } = transfer;
  const titleId = titleIdOf(id);
  const page = transferPage(id);
  const name = nameTransfer(transfer);
  return (
    <article
      aria-labelledby={titleId}
      className={classNames(
        'group flex gap-x-3 border-b border-line px-2 max-sm:flex-wrap max-sm:py-3 sm:h-14.75 sm:items-center sm:px-3',
        'transition-colors duration-(--quick)',
        isChosen ? 'bg-accent-wash' : 'hover:bg-hover',
      )}
    >
      <Cover {...{ transfer, name, isChosen, isChoosing, actions }} />
      <div className="flex min-w-0 grow basis-0 flex-col gap-x-6 gap-y-1 sm:gap-y-0.5">
        <div className="flex min-w-0 gap-x-2 gap-y-1.5 max-sm:flex-col sm:items-center">
          <h2
            id={titleId}
            dir="auto"
            className="min-w-0 truncate text-base leading-6 tracking-normal [font-stretch:100%]"
          >
            <Link to={page} state={FROM_LIST} className="rounded-xs py-0.5 hover:text-accent-ink">
              {name}
            </Link>
          </h2>
          <div className="flex gap-1.5 *:h-5.5 *:px-2 max-sm:order-last max-sm:flex-wrap">
            {transfer.encryption ? <EncryptedSign /> : transfer.isPasswordProtected && <LockSign />}
            {transfer.isTakenDown && <TakenDownBadge />}
            <ScanBadge state={transfer.scanState} />
            <LimitBadge transfer={transfer} />
            <ExpiryBadge transfer={transfer} />
          </div>
        </div>
        <Facts transfer={transfer} />
      </div>
      <div className="flex items-center gap-1 max-sm:mt-2.5 max-sm:basis-full max-sm:flex-wrap max-sm:gap-x-1.5 max-sm:gap-y-2">
        <CopyLinkButton
          transfer={transfer}
          label={t`Copy Link`}
          size="sm"
          className="max-[22.5rem]:px-2.5 max-[22.5rem]:[&_svg]:hidden max-lg:sm:w-control-sm max-lg:sm:gap-0 max-lg:sm:px-0 max-lg:sm:text-[0px]"
        />
        <LinkButton
          to={page}
          state={FROM_LIST}
          variant="secondary"
          size="sm"
          icon={<ArrowRight aria-hidden="true" className="hidden max-lg:sm:block" />}
          className="max-[22.5rem]:px-2.5 max-lg:sm:w-control-sm max-lg:sm:gap-0 max-lg:sm:px-0"
        >
          <span className="max-lg:sm:sr-only">
            <Trans>View Details</Trans>
          </span>
        </LinkButton>
        <Button
          variant="ghost"
          size="sm"
          icon={<Trash2 className="lg:max-2xl:hidden" />}
          className="max-lg:w-control-sm max-lg:px-0 max-sm:ml-auto"
          onClick={() =>
            canBeUndone(transfer) ? actions.onDelete(transfer) : actions.onOpen('delete', transfer)
          }
        >
          <span className="max-lg:sr-only">
            <Trans>Delete</Trans>
          </span>
        </Button>
        <MoreActions transfer={transfer} name={name} actions={actions} isChosen={isChosen} />
      </div>
    </article>
  );
}

type CoverProps = CardProps & { name: string };

/** The first picture. The checkbox takes its place under the pointer, with the focus and during a selection. */
function Cover({ transfer, name, isChosen, isChoosing, actions }: CoverProps) {
  const { id, thumbnailFileId } = transfer;
  const src = thumbnailFileId ? addressOf(showOwnThumbnail.path, { id, fileId: thumbnailFileId }) : undefined;
  const choose = (event: MouseEvent<HTMLInputElement>) =>
    actions.onChoose(transfer, event.currentTarget.checked, event.shiftKey);
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: TickBox is the control.
    <label className="relative grid size-10 shrink-0 cursor-pointer place-items-center">
      <span
        className={classNames(
          'grid size-10 place-items-center overflow-hidden rounded-sm bg-press transition-opacity duration-(--quick)',
          'group-has-[input:focus-visible]:opacity-0 pointer-fine:group-hover:opacity-0',
          isChoosing && 'opacity-0',
        )}
      >
        <Picture src={src} className="size-full object-cover">
          <Files aria-hidden="true" strokeWidth={1.5} className="size-5 text-ink-faint" />
        </Picture>
      </span>
      <TickBox
        aria-label={t`Select ${name}`}
        checked={isChosen}
        // The click tells whether Shift was held.
        onChange={() => {}}
        onClick={choose}
        className={classNames(
          'absolute! inset-2 transition-opacity duration-(--quick) has-focus-visible:opacity-100 pointer-fine:group-hover:opacity-100',
          !isChoosing && 'opacity-0',
        )}
      />
    </label>
  );
}

function LockSign() {
  return (
    <span className="flex items-center px-0!">
      <Lock aria-hidden="true" className="size-3.5 text-ink-faint" />
      <span className="sr-only">
        <Trans>Password protected</Trans>
      </span>
    </span>
  );
}

function EncryptedSign() {
  return (
    <span className="flex items-center px-0!" title={t`End-to-end encrypted`}>
      <LockKeyhole aria-hidden="true" className="size-3.5 text-accent-ink" />
      <span className="sr-only">
        <Trans>End-to-end encrypted</Trans>
      </span>
    </span>
  );
}

function Facts({ transfer }: { transfer: ListedTransfer }) {
  const { fileCount, totalSize, receivedFrom, recipientEmails } = transfer;
  const { scheduledAvailableAt } = transfer;
  const isWaiting = !useIsPast(scheduledAvailableAt) && scheduledAvailableAt !== null;
  return (
    <ul className="tabular flex min-w-0 text-sm leading-5 text-ink-soft max-sm:flex-wrap max-sm:gap-x-3 sm:overflow-hidden">
      <Fact>
        {plural(fileCount, { one: '# file', other: '# files' })} · {formatSize(totalSize)}
      </Fact>
      <Fact>{downloadsOf(transfer)}</Fact>
      {isWaiting && (
        <Fact isLong>
          <Trans>Available from {formatDateTime(scheduledAvailableAt)}</Trans>
        </Fact>
      )}
      {receivedFrom !== null && (
        <Fact isLong title={receivedFrom}>
          <Trans>From {receivedFrom}</Trans>
        </Fact>
      )}
      {recipientEmails.length > 0 && (
        <>
          <Fact isLong title={recipientEmails.join(', ')}>
            <Trans>To {recipientEmails.join(', ')}</Trans>
          </Fact>
          <Fact
            title={t`Recipients who downloaded through the link in their email`}
            className="max-lg:sm:hidden"
          >
            {recipientsOf(transfer)}
          </Fact>
        </>
      )}
    </ul>
  );
}

type FactProps = { isLong?: boolean; title?: string; className?: string; children: ReactNode };

/** Separated by dots. Long ones give way. */
function Fact({ isLong = false, title, className, children }: FactProps) {
  return (
    <li
      title={title}
      className={classNames(
        'flex items-center sm:not-last:after:mx-1.5 sm:not-last:after:text-ink-faint sm:not-last:after:content-["·"]',
        isLong ? 'min-w-12 max-sm:max-w-full' : 'shrink-0',
        className,
      )}
    >
      {isLong ? <span className="min-w-0 truncate">{children}</span> : children}
    </li>
  );
}

type MoreActionsProps = Omit<CoverProps, 'isChoosing'>;

function MoreActions({ transfer, name, isChosen, actions }: MoreActionsProps) {
  const { id, token, receivedFrom, receivedKey, encryption } = transfer;
  const { user } = useSession();
  const isExpired = useIsExpired(transfer);
  const link = useWholeLink(transfer)?.link;
  const open = (dialog: CardDialog) => () => actions.onOpen(dialog, transfer);
  return (
    <>
      {receivedFrom !== null && !encryption && <DownloadReceived transfer={transfer} />}
      {receivedKey && !isExpired && link !== undefined && <OpenReceived link={link} />}
      <Menu label={t`More actions for ${name}`}>
        <MenuItem icon={<Pencil />} onSelect={open('edit')}>
          <Trans>Edit</Trans>
        </MenuItem>
        <MenuItem icon={isExpired ? <RotateCcw /> : <CalendarPlus />} onSelect={open('extend')}>
          {isExpired ? t`Reopen` : t`Extend`}
        </MenuItem>
        {!isExpired && (
          <>
            <MenuItem icon={<Send />} onSelect={open('resend')}>
              <Trans>Resend Email</Trans>
            </MenuItem>
            <MenuLink icon={<FilePlus2 />} to={addFilesPage(id)}>
              <Trans>Add files</Trans>
            </MenuLink>
          </>
        )}
        <MenuLine />
        <MenuItem icon={<QrCode />} onSelect={open('share')}>
          <Trans>Share link and QR code</Trans>
        </MenuItem>
        <MenuLink icon={<ExternalLink />} to={link ?? sharePath(token)} target="_blank">
          <Trans>Open download page</Trans>
        </MenuLink>
        {user && tierIncludes(user.tier, 'analytics') && (
          <MenuLink icon={<ChartNoAxesColumn />} to={transferAnalyticsPage(id)}>
            <Trans>Analytics</Trans>
          </MenuLink>
        )}
        <MenuLine />
        <MenuItem icon={<CopyCheck />} onSelect={() => actions.onChoose(transfer, !isChosen, false)}>
          {isChosen ? t`Deselect` : t`Select`}
        </MenuItem>
      </Menu>
    </>
  );
}

/** The page that decrypts, with the key that the visitor sealed for the owner. */
function OpenReceived({ link }: { link: string }) {
  return (
    <a
      href={link}
      target="_blank"
      rel="noreferrer"
      className={buttonClasses('primary', 'sm', RECEIVED_ACTION)}
    >
      <LockKeyholeOpen aria-hidden="true" />
      <span className="max-lg:sm:sr-only">
        <Trans>Open</Trans>
      </span>
    </a>
  );
}

const RECEIVED_ACTION = 'order-first max-sm:basis-full max-lg:sm:w-control-sm max-lg:sm:px-0';

function DownloadReceived({ transfer }: { transfer: ListedTransfer }) {
  const { token, fileCount, firstFileId } = transfer;
  const isOpen = useIsLinkOpen(transfer);
  if (!firstFileId || !isOpen) return null;
  return (
    <a
      href={fileCount === 1 ? fileDownloadPath(token, firstFileId) : zipDownloadPath(token)}
      download
      className={buttonClasses('primary', 'sm', RECEIVED_ACTION)}
    >
      <Download aria-hidden="true" />
      <span className="max-lg:sm:sr-only">
        <Trans>Download</Trans>
      </span>
    </a>
  );
}
