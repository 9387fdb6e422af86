import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { CONTROL } from './control-style.ts';
import { Field, type FieldProps } from './field.tsx';

type SelectProps = FieldProps &
  Omit<ComponentProps<'select'>, 'className' | 'children' | 'multiple'> & {
    options: readonly { value: string; label: string }[];
    /** `sm` for rows of tables. */
    scale?: 'sm' | 'md';
  };

const SCALES = {
  // Smaller text would make phones zoom in.
  sm: 'h-control-sm pr-8 pl-3 md:text-sm',
  md: 'h-control-md pr-10 pl-4',
};

/** The browser's own select, which works best on phones and with keyboards. */
export function Select(props: SelectProps) {
  const {
    label,
    hint,
    error,
    isOptional,
    aside,
    isLabelHidden,
    className,
    id,
    options,
    scale = 'md',
    ...input
  } = props;
  return (
    <Field {...{ label, hint, error, isOptional, aside, isLabelHidden, className, id }}>
      {(control) => (
        <div className="relative flex items-center">
          <select {...control} {...input} className={classNames(CONTROL, 'appearance-none', SCALES[scale])}>
            {options.map(({ value, label: words }) => (
              <option key={value} value={value} className="bg-raised text-ink">
                {words}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden="true"
            className={classNames(
              'pointer-events-none absolute text-ink-faint',
              scale === 'sm' ? 'right-2.5 size-4' : 'right-3.5 size-4.5',
            )}
          />
        </div>
      )}
    </Field>
  );
}
