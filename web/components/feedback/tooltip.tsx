import { Tooltip as Radix } from 'radix-ui';
import type { FocusEvent, ReactNode } from 'react';
import { isFocusReturning } from '../actions/use-focus-return.ts';

/** Opens after 700 ms; within 300 ms after another closed, immediately. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  );
}

type TooltipProps = {
  label: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  isDisabled?: boolean;
  /** One focusable element. */
  children: ReactNode;
};

/** A closed dialog returns the focus to its button, where a tooltip would stay open in the way. */
function stayClosed(event: FocusEvent): void {
  if (isFocusReturning()) event.preventDefault();
}

/** A short hint on hover and focus. Never the only place of a piece of information. */
export function Tooltip({ label, side = 'top', isDisabled = false, children }: TooltipProps) {
  return (
    <Radix.Root open={isDisabled ? false : undefined}>
      <Radix.Trigger asChild onFocus={stayClosed}>
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={8}
          collisionPadding={8}
          className="z-50 max-w-72 animate-fade-in forced-colors:border rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium text-canvas shadow-mid"
        >
          {label}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
