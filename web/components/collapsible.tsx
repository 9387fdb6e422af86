import { ChevronDown } from 'lucide-react';
import { Collapsible as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from '../lib/class-names.ts';

type CollapsibleProps = {
  /** What stands beside the arrow; always visible. */
  title: ReactNode;
  isOpenAtFirst?: boolean;
  /** Controlled use. */
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  className?: string;
  children: ReactNode;
};

/** A line that opens to show more. */
export function Collapsible({
  title,
  isOpenAtFirst,
  isOpen,
  onOpenChange,
  className,
  children,
}: CollapsibleProps) {
  return (
    <Radix.Root
      defaultOpen={isOpenAtFirst}
      open={isOpen}
      onOpenChange={onOpenChange}
      className={classNames('min-w-0', className)}
    >
      <Radix.Trigger className="group flex min-h-control-md w-full items-center justify-between gap-3 rounded-sm text-left font-medium text-ink">
        {title}
        <ChevronDown
          aria-hidden="true"
          className="size-5 shrink-0 text-ink-faint transition-[rotate] duration-(--brisk) group-hover:text-ink group-data-[state=open]:rotate-180"
        />
      </Radix.Trigger>
      {/* Room for focus rings, which the animation's clipping would cut. */}
      <Radix.Content className="-mx-1.5 overflow-hidden px-1.5 data-[state=closed]:animate-fold data-[state=open]:animate-unfold">
        <div className="py-2">{children}</div>
      </Radix.Content>
    </Radix.Root>
  );
}
