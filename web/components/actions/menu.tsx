import { Ellipsis } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import { type ButtonSize, type ButtonVariant, iconButtonClasses } from './button-style.ts';

type MenuProps = {
  /** Names the button ("More actions for Holiday film"). */
  label: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
  /** `MenuItem`, `MenuLink` and `MenuLine`. */
  children: ReactNode;
};

/** A button that opens a menu of actions, operated by arrow keys and initial letters (WAI-ARIA menu button). */
export function Menu({ label, variant = 'ghost', size = 'sm', className, children }: MenuProps) {
  return (
    // Not modal: the page behind can still be scrolled.
    <Radix.Root modal={false}>
      <Radix.Trigger aria-label={label} className={iconButtonClasses(variant, size, className)}>
        <Ellipsis aria-hidden="true" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={6}
          collisionPadding={12}
          loop
          className="z-40 min-w-52 animate-fade-in rounded-lg border border-line-firm bg-raised p-1.5 text-ink shadow-high"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const ITEM =
  'flex min-h-control-sm cursor-pointer items-center gap-3 rounded-sm px-3 text-sm outline-none select-none ' +
  'data-highlighted:bg-hover data-highlighted:outline-2 data-highlighted:-outline-offset-2 data-highlighted:outline-edge ' +
  '[&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-soft';

export function MenuItem({
  icon,
  onSelect,
  children,
}: {
  icon: ReactNode;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Radix.Item className={ITEM} onSelect={onSelect}>
      {icon}
      {children}
    </Radix.Item>
  );
}

export function MenuLink({ icon, children, ...link }: LinkProps & { icon: ReactNode }) {
  return (
    <Radix.Item asChild>
      <Link className={ITEM} {...link}>
        {icon}
        {children}
      </Link>
    </Radix.Item>
  );
}

/** A line between groups of items. */
export function MenuLine() {
  return <Radix.Separator className="mx-2 my-1.5 h-px bg-line" />;
}
