import { Trans } from '@lingui/react/macro';
import type { ComponentProps, MouseEvent } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { formatMinutes } from '../../lib/time/countdown.ts';
import { Button } from './button.tsx';

type CoolDownButtonProps = ComponentProps<typeof Button> & {
  /** Above 0 the button is inactive and counts down. */
  secondsLeft: number;
  /** The label before the time: "Try again" in 0:42. */
  waitingLabel: string;
};

const SOLID = 'aria-disabled:border-line aria-disabled:bg-press aria-disabled:text-ink-faint';
const BARE = 'aria-disabled:bg-transparent aria-disabled:text-ink-faint';

/** A button with a waiting time after use, or after the server asked to wait. */
export function CoolDownButton({
  secondsLeft,
  waitingLabel,
  className,
  children,
  ...props
}: CoolDownButtonProps) {
  if (secondsLeft === 0) {
    return (
      <Button className={className} {...props}>
        {children}
      </Button>
    );
  }
  const isBare = props.variant === 'ghost' || props.variant === 'secondary';
  return (
    <Button
      {...props}
      className={classNames('tabular', isBare ? BARE : SOLID, className)}
      // Not `disabled`, which would drop the keyboard focus.
      aria-disabled
      onClick={(event: MouseEvent) => event.preventDefault()}
    >
      <Trans>
        {waitingLabel} in {formatMinutes(secondsLeft)}
      </Trans>
    </Button>
  );
}
