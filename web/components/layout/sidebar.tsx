import { ChevronDown } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { lateModule } from '../../lib/loading/late-module.ts';
import { NavLink } from '../../lib/routing.tsx';
import type { SheetProps } from '../dialogs/sheet-window.tsx';
import { tooltip } from '../tooltips/tooltip.ts';

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
        isExact={isExact}
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
  const [isOpen, setOpen] = useState(true);
  const listId = useId();
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
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={() => setOpen(!isOpen)}
        className={classNames(ROW, 'gap-3 px-3.5')}
      >
        {icon}
        <span className="grow text-left">{label}</span>
        <ChevronDown
          aria-hidden="true"
          className={classNames('transition-[rotate] duration-(--brisk)', !isOpen && '-rotate-90')}
        />
      </button>
      <div
        className={classNames(
          'grid transition-[grid-template-rows] duration-(--brisk) ease-settle',
          isOpen ? 'grid-rows-[1fr]' : 'grid-rows-[0fr]',
        )}
      >
        <ul
          id={listId}
          className="ml-6 flex min-h-0 flex-col gap-1 overflow-hidden border-l border-line pl-2 [&>:first-child]:mt-1"
        >
          {isOpen && children}
        </ul>
      </div>
    </li>
  );
}

const useSheet = lateModule(() => import('../dialogs/sheet-window.tsx'), { isLikely: true });

/** The sidebar on phones: a panel from the left edge, 18 rem wide. */
export function Sheet(props: SheetProps) {
  const loaded = useSheet(props.isOpen);
  return loaded && <loaded.SheetWindow {...props} />;
}
