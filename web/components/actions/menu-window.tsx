import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useRef } from 'react';
import { Link, type LinkProps } from '../../lib/routing.tsx';
import { MenuButton, type MenuProps } from './menu.tsx';

type MenuWindowProps = MenuProps & {
  /** Whether a key opened it, which highlights the first item. */
  isOpenedByKey: boolean;
};

/** Open at first, because it takes the place of the button that was pressed. */
export function MenuWindow({ isOpenedByKey, children, ...button }: MenuWindowProps) {
  const isFirst = useRef(isOpenedByKey);
  const focusFirst = (content: HTMLElement | null) => {
    if (!content || !isFirst.current) return;
    isFirst.current = false;
    // After Radix has focused the menu itself.
    requestAnimationFrame(() => content.querySelector<HTMLElement>('[role=menuitem]')?.focus());
  };
  return (
    // Not modal: the page behind can still be scrolled.
    <Radix.Root modal={false} defaultOpen>
      <Radix.Trigger asChild>
        <MenuButton {...button} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          ref={focusFirst}
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

export function WindowItem({
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

export function WindowLink({ icon, children, ...link }: LinkProps & { icon: ReactNode }) {
  return (
    <Radix.Item asChild>
      <Link className={ITEM} {...link}>
        {icon}
        {children}
      </Link>
    </Radix.Item>
  );
}

export function WindowLine() {
  return <Radix.Separator className="mx-2 my-1.5 h-px bg-line" />;
}
