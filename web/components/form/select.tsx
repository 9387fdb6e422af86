import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { CONTROL } from './control-style.ts';
import { Field, type FieldProps } from './field.tsx';

type SelectProps = FieldProps &
  Omit<ComponentProps<'select'>, 'className' | 'children' | 'multiple'> & {
    options: readonly { value: string; label: string }[];
  };

/** The browser's own select, which works best on phones and with keyboards. */
export function Select(props: SelectProps) {
  const { label, hint, error, isOptional, aside, isLabelHidden, className, id, options, ...input } = props;
  return (
    <Field {...{ label, hint, error, isOptional, aside, isLabelHidden, className, id }}>
      {(control) => (
        <div className="relative flex items-center">
          <select
            {...control}
            {...input}
            className={classNames(CONTROL, 'h-control-md appearance-none pr-10 pl-4')}
          >
            {options.map(({ value, label: words }) => (
              <option key={value} value={value} className="bg-raised text-ink">
                {words}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden="true"
            className="pointer-events-none absolute right-3.5 size-4.5 text-ink-faint"
          />
        </div>
      )}
    </Field>
  );
}
