import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { FieldError } from './field.tsx';
import { TickBox } from './tick-box.tsx';

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  /** May contain links. */
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** For checkboxes in table rows; the label is still announced. */
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
        <TickBox
          {...input}
          id={boxId}
          aria-describedby={describedBy || undefined}
          aria-invalid={error ? true : undefined}
          className="mt-px"
        />
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
