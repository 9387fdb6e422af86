import { Trans } from '@lingui/react/macro';
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { classNames } from '../../lib/class-names.ts';

/** Associates the control with its label, hint and error. */
export type ControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

export type FieldProps = {
  label: ReactNode;
  /** Stays visible beside an error. */
  hint?: ReactNode;
  /** A sentence, in a `ToldError` if a toast tells it. */
  error?: ReactNode;
  /** Shows "optional" at the end of the label's line. */
  isOptional?: boolean;
  /** A badge or link at the end of the label's line ("Pro Feature"). */
  aside?: ReactNode;
  isLabelHidden?: boolean;
  className?: string;
};

type FieldFrameProps = FieldProps & { id?: string; children: (control: ControlProps) => ReactNode };

/** Connects label, control, hint and error, for any control that takes an id and aria attributes. */
export function Field({
  label,
  hint,
  error,
  isOptional,
  aside,
  isLabelHidden,
  className,
  id,
  children,
}: FieldFrameProps) {
  const ownId = useId();
  const controlId = id ?? ownId;
  const hintId = hint ? `${controlId}-hint` : undefined;
  const errorId = error ? `${controlId}-error` : undefined;
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1.5', className)}>
      <div className={isLabelHidden ? 'sr-only' : 'flex items-baseline justify-between gap-3'}>
        <label htmlFor={controlId} className="text-sm font-medium text-ink">
          {label}
        </label>
        {aside ??
          (isOptional && (
            <span className="text-xs text-ink-faint">
              <Trans>optional</Trans>
            </span>
          ))}
      </div>
      {children({
        id: controlId,
        'aria-describedby': [errorId, hintId].filter(Boolean).join(' ') || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {error && <FieldError id={errorId}>{error}</FieldError>}
      {hint && (
        <p id={hintId} className="text-sm text-ink-faint">
          {hint}
        </p>
      )}
    </div>
  );
}

/**
 * The error of a field that a toast tells already: it marks the field and describes it to assistive technology, but
 * isn't shown twice.
 */
export function ToldError({ children }: { children: ReactNode }) {
  return <span data-told="">{children}</span>;
}

export function FieldError({ id, children }: { id: string | undefined; children: ReactNode }) {
  return (
    <p id={id} className="flex animate-fade-in gap-1.5 text-sm text-danger-ink has-data-told:sr-only">
      <CircleAlert className="mt-[0.2em] size-4 shrink-0" aria-hidden="true" />
      <span>{children}</span>
    </p>
  );
}
