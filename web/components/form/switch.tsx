import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from '../../lib/class-names.ts';

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'role' | 'className'> & {
  label: ReactNode;
  hint?: ReactNode;
  /** A badge beside the label ("Pro Feature"). */
  aside?: ReactNode;
  isLabelHidden?: boolean;
  className?: string;
};

/** Takes effect immediately. A native checkbox with the role of a switch. */
export function Switch({ label, hint, aside, isLabelHidden, className, id, ...input }: SwitchProps) {
  const ownId = useId();
  const switchId = id ?? ownId;
  return (
    <div className={classNames('flex items-center justify-between gap-4', className)}>
      <span className={isLabelHidden ? 'sr-only' : 'min-w-0'}>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <label htmlFor={switchId} className="text-base text-ink">
            {label}
          </label>
          {aside}
        </span>
        {hint && (
          <p id={`${switchId}-hint`} className="text-sm text-ink-faint">
            {hint}
          </p>
        )}
      </span>
      <input
        {...input}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a native tick box reports its own checked state.
        role="switch"
        id={switchId}
        aria-describedby={hint ? `${switchId}-hint` : undefined}
        className={
          'relative h-7 w-12 shrink-0 cursor-pointer appearance-none rounded-full border border-edge bg-sunken ' +
          'transition-colors duration-(--brisk) checked:border-accent checked:bg-accent ' +
          'before:absolute before:top-[3px] before:left-[3px] before:size-5 before:rounded-full ' +
          'before:bg-ink-soft before:transition-[translate,background-color] before:duration-(--brisk) ' +
          'before:ease-settle checked:before:translate-x-5 checked:before:bg-on-accent ' +
          'disabled:cursor-not-allowed disabled:border-line disabled:bg-hover disabled:before:bg-line-firm ' +
          'forced-colors:appearance-auto forced-colors:before:hidden'
        }
      />
    </div>
  );
}
