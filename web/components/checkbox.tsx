import { Check } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from '../lib/class-names.ts';
import { FieldError } from './field.tsx';

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  /** May hold links. */
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** For tick boxes in table rows whose words stand elsewhere; the label is still announced. */
  isLabelHidden?: boolean;
  className?: string;
};

export function Checkbox({ label, hint, error, isLabelHidden, className, id, ...input }: CheckboxProps) {
  const ownId = useId();
  const boxId = id ?? ownId;
  const describedBy = [error && `${boxId}-error`, hint && `${boxId}-hint`].filter(Boolean).join(' ');
  return (
    <div className={classNames('flex flex-col gap-1.5', className)}>
      <div className="flex items-start gap-3">
        <span className="relative mt-px grid size-6 shrink-0 place-items-center">
          <input
            {...input}
            type="checkbox"
            id={boxId}
            aria-describedby={describedBy || undefined}
            aria-invalid={error ? true : undefined}
            className={
              'peer size-6 cursor-pointer appearance-none rounded-xs border border-edge bg-surface ' +
              'transition-colors duration-(--quick) hover:border-ink-soft checked:border-accent ' +
              'checked:bg-accent aria-invalid:border-danger-ink disabled:cursor-not-allowed disabled:border-line ' +
              'disabled:bg-hover forced-colors:appearance-auto'
            }
          />
          <Check
            aria-hidden="true"
            strokeWidth={3}
            className={
              'pointer-events-none absolute size-4 scale-50 text-on-accent opacity-0 transition ' +
              'duration-(--quick) peer-checked:scale-100 peer-checked:opacity-100 peer-disabled:text-ink-faint ' +
              'forced-colors:hidden'
            }
          />
        </span>
        <span className={isLabelHidden ? 'sr-only' : 'min-w-0'}>
          <label htmlFor={boxId} className="text-base text-ink">
            {label}
          </label>
          {hint && (
            <p id={`${boxId}-hint`} className="text-sm text-ink-faint">
              {hint}
            </p>
          )}
        </span>
      </div>
      {error && <FieldError id={`${boxId}-error`}>{error}</FieldError>}
    </div>
  );
}
