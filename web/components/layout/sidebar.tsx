import { t } from '@lingui/core/macro';
import { ChevronDown, X } from 'lucide-react';
import { Collapsible, Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { classNames } from '../../lib/class-names.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { useFocusReturn } from '../actions/use-focus-return.ts';
import { tooltip } from '../feedback/tooltip.ts';

type SidebarProps = {
  /** The accessible name of the landmark. */
  label: string;
  isCollapsed: boolean;
  header: ReactNode;
  footer: ReactNode;
  children: ReactNode;
};

/** 16 rem wide, or 3 rem with icons only. */
export function Sidebar({ label, isCollapsed, header, footer, children }: SidebarProps) {
  return (
    <aside
      data-state={isCollapsed ? 'collapsed' : 'expanded'}
      className={classNames(
        'sticky top-0 flex h-dvh shrink-0 flex-col overflow-hidden border-r border-line bg-surface',
        'pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)]',
        'transition-[width] duration-(--brisk) ease-settle',
        isCollapsed
          ? 'w-[calc(var(--sidebar-collapsed)+env(safe-area-inset-left,0px))]'
          : 'w-[calc(var(--sidebar)+env(safe-area-inset-left,0px))]',
      )}
    >
      <SidebarContent {...{ label, isCollapsed, header, footer, children }} />
    </aside>
  );
}

/** The sidebar without its frame, for the sheet on phones. */
export function SidebarContent({ label, isCollapsed, header, footer, children }: SidebarProps) {
  const inset = isCollapsed ? 'px-1' : 'px-3';
  return (
    <>
      <div className={classNames('flex h-topbar shrink-0 items-center', inset)}>{header}</div>
      <nav aria-label={label} className={classNames('grow overflow-x-hidden overflow-y-auto py-3', inset)}>
        <ul className="flex flex-col gap-1">{children}</ul>
      </nav>
      <div className={classNames('border-t border-line py-3', inset)}>{footer}</div>
    </>
  );
}

type SidebarLinkProps = {
  to: string;
  label: string;
  icon: ReactNode;
  isCollapsed: boolean;
  /** Current only at exactly this address. */
  isExact?: boolean;
  onNavigate?: () => void;
};

const ROW =
  'relative flex min-h-10 w-full items-center rounded-full text-sm font-medium whitespace-nowrap text-ink-soft transition-colors duration-(--quick) hover:bg-hover hover:text-ink focus-visible:-outline-offset-2 [&_svg]:size-5 [&_svg]:shrink-0';

export function SidebarLink({ to, label, icon, isCollapsed, isExact, onNavigate }: SidebarLinkProps) {
  return (
    <li>
      <NavLink
        {...(isCollapsed && tooltip(label, 'right'))}
        to={to}
        end={isExact}
        onClick={onNavigate}
        className={classNames(
          ROW,
          isCollapsed ? 'justify-center' : 'gap-3 px-3.5',
          'aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent-ink',
        )}
      >
        {icon}
        <span className={isCollapsed ? 'sr-only' : undefined}>{label}</span>
      </NavLink>
    </li>
  );
}

type SidebarActionProps = { label: string; icon: ReactNode; isCollapsed: boolean; onClick: () => void };

/** A button styled like a link of the sidebar. */
export function SidebarAction({ label, icon, isCollapsed, onClick }: SidebarActionProps) {
  return (
    <button
      type="button"
      {...(isCollapsed && tooltip(label, 'right'))}
      onClick={onClick}
      className={classNames(ROW, isCollapsed ? 'justify-center' : 'gap-3 px-3.5')}
    >
      {icon}
      <span className={isCollapsed ? 'sr-only' : undefined}>{label}</span>
    </button>
  );
}

type SidebarGroupProps = { label: string; icon: ReactNode; isCollapsed: boolean; children: ReactNode };

/** Collapsible, and open at first. In the icon-only sidebar it is a line. */
export function SidebarGroup({ label, icon, isCollapsed, children }: SidebarGroupProps) {
  if (isCollapsed) {
    return (
      <li className="mt-2 border-t border-line pt-2">
        <ul aria-label={label} className="flex flex-col gap-1">
          {children}
        </ul>
      </li>
    );
  }
  return (
    <li className="mt-3">
      <Collapsible.Root defaultOpen>
        <Collapsible.Trigger className={classNames(ROW, 'group gap-3 px-3.5')}>
          {icon}
          <span className="grow text-left">{label}</span>
          <ChevronDown
            aria-hidden="true"
            className="transition-[rotate] duration-(--brisk) group-data-[state=closed]:-rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Content className="overflow-hidden data-[state=closed]:animate-fold data-[state=open]:animate-unfold">
          <ul className="mt-1 ml-6 flex flex-col gap-1 border-l border-line pl-2">{children}</ul>
        </Collapsible.Content>
      </Collapsible.Root>
    </li>
  );
}

type SheetProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** Not visible: the content has its own heading or logo. */
  label: string;
  children: ReactNode;
};

/** The sidebar on phones: a panel from the left edge, 18 rem wide. */
export function Sheet({ isOpen, onOpenChange, label, children }: SheetProps) {
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn();
  // Radix would focus the first button and skip the links before it.
  const focusPanel = (event: Event) => {
    onOpenAutoFocus();
    event.preventDefault();
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
  };
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-veil data-[state=closed]:animate-fade-out data-[state=open]:animate-fade-in" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusPanel}
          onCloseAutoFocus={onCloseAutoFocus}
          className={
            'fixed inset-y-0 left-0 z-40 flex w-(--sidebar-sheet) max-w-[calc(100vw-3rem)] flex-col border-r ' +
            'border-line-firm bg-raised pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] shadow-high outline-none data-[state=closed]:animate-sheet-out ' +
            'data-[state=open]:animate-sheet-in'
          }
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          {children}
          <span className="absolute top-1.5 right-1.5">
            <Radix.Close asChild>
              <IconButton label={t`Close`} icon={<X />} tooltip="none" />
            </Radix.Close>
          </span>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
