import { Check, Minus } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from '../../lib/class-names.ts';

type TickBoxProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  /** Some, but not all, items are selected. */
  isMixed?: boolean;
  className?: string;
};

const SIGN =
  'pointer-events-none absolute size-4 scale-50 text-on-accent opacity-0 transition duration-(--quick) peer-disabled:text-ink-faint forced-colors:hidden';

/** The bare checkbox, 24 px. The caller adds a label or `aria-label`. */
export function TickBox({ isMixed = false, className, ref, ...input }: TickBoxProps) {
  const setBox = (box: HTMLInputElement | null) => {
    // `indeterminate` exists only as a property.
    if (box) box.indeterminate = isMixed;
    if (typeof ref === 'function') ref(box);
    else if (ref) ref.current = box;
  };
  return (
    <span className={classNames('relative grid size-6 shrink-0 place-items-center', className)}>
      <input
        {...input}
        type="checkbox"
        ref={setBox}
        className={
          'peer size-6 cursor-pointer appearance-none rounded-xs border border-edge bg-surface ' +
          'transition-colors duration-(--quick) hover:border-ink-soft checked:border-accent checked:bg-accent ' +
          'indeterminate:border-accent indeterminate:bg-accent aria-invalid:border-danger-ink ' +
          'disabled:cursor-not-allowed disabled:border-line disabled:bg-hover forced-colors:appearance-auto'
        }
      />
      {isMixed ? (
        <Minus
          aria-hidden="true"
          strokeWidth={3}
          className={classNames(SIGN, 'peer-indeterminate:scale-100 peer-indeterminate:opacity-100')}
        />
      ) : (
        <Check
          aria-hidden="true"
          strokeWidth={3}
          className={classNames(SIGN, 'peer-checked:scale-100 peer-checked:opacity-100')}
        />
      )}
    </span>
  );
}
