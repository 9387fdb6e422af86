import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from '../lib/class-names.ts';

type DropdownMenuProps = {
  /** One button element that opens the menu. */
  trigger: ReactNode;
  /** Names the menu ("Actions for Holiday film"). */
  label: string;
  align?: 'start' | 'end';
  children: ReactNode;
};

/** A short list of actions. It does not lock the page behind it. */
export function DropdownMenu({ trigger, label, align = 'end', children }: DropdownMenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={
            'z-50 min-w-52 rounded-md border border-line-firm bg-raised p-1.5 text-ink shadow-mid outline-none ' +
            'data-[state=closed]:animate-pop-out data-[state=open]:animate-pop-in'
          }
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type DropdownItemProps = {
  icon?: ReactNode;
  onSelect: () => void;
  isDestructive?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
};

export function DropdownItem({ icon, onSelect, isDestructive, isDisabled, children }: DropdownItemProps) {
  return (
    <Radix.Item
      disabled={isDisabled}
      onSelect={onSelect}
      className={classNames(
        'flex min-h-10 cursor-pointer items-center gap-3 rounded-sm px-3 outline-none data-highlighted:bg-press',
        'forced-colors:data-highlighted:outline-2 data-disabled:cursor-not-allowed data-disabled:text-ink-faint',
        '[&_svg]:size-4.5 [&_svg]:shrink-0',
        isDestructive && 'text-danger-ink',
      )}
    >
      {icon}
      {children}
    </Radix.Item>
  );
}

export function DropdownDivider() {
  return <Radix.Separator className="my-1.5 h-px bg-line" />;
}
