import type { ComponentProps } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { CONTROL } from './control-style.ts';
import { Field, type FieldProps } from './field.tsx';

type TextAreaProps = FieldProps & Omit<ComponentProps<'textarea'>, 'className' | 'children'>;

/** Grows with its text from `rows` up. */
export function TextArea(props: TextAreaProps) {
  const { label, hint, error, isOptional, aside, isLabelHidden, className, id, rows = 3, ...input } = props;
  return (
    <Field {...{ label, hint, error, isOptional, aside, isLabelHidden, className, id }}>
      {(control) => (
        <textarea
          {...control}
          {...input}
          rows={rows}
          className={classNames(CONTROL, 'field-sizing-content max-h-80 resize-y px-4 py-2.5')}
          style={{ minHeight: `calc(${rows}lh + 1.375rem)` }}
        />
      )}
    </Field>
  );
}
