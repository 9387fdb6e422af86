import { type FocusEvent, type ReactNode, type Ref, useEffect, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { CODE_LENGTH, keepDigits } from '../../lib/values/code.ts';
import { Field } from './field.tsx';

type CodeFieldProps = {
  label: string;
  value: string;
  onChange: (code: string) => void;
  error?: ReactNode;
  hint?: string;
  ref?: Ref<HTMLInputElement>;
};

type Selection = { start: number; end: number };
const SLOTS = Array.from({ length: CODE_LENGTH }, (_, index) => index);

/**
 * One real input on top of six drawn boxes, so that pasting, password managers and codes suggested from messages work
 * (WCAG 3.3.8).
 */
export function CodeField({ label, value, onChange, error, hint, ref }: CodeFieldProps) {
  const { selection, follow, forget } = useSelection();
  return (
    <Field label={label} error={error} hint={hint}>
      {(control) => (
        <div className="relative">
          <div aria-hidden="true" className="grid grid-cols-6 gap-2 sm:gap-3">
            {SLOTS.map((slot) => (
              <span
                key={slot}
                className={classNames(
                  'tabular grid h-16 place-items-center rounded-md border bg-surface text-2xl font-medium transition-[border-color,box-shadow] duration-(--quick)',
                  isActive(slot, selection)
                    ? 'border-accent-ink ring-2 ring-accent-ink'
                    : error
                      ? 'border-danger-ink'
                      : 'border-edge',
                )}
              >
                {value[slot]}
              </span>
            ))}
          </div>
          <input
            {...control}
            ref={ref}
            value={value}
            onChange={(event) => onChange(keepDigits(event.target.value))}
            onFocus={follow}
            onBlur={forget}
            inputMode="numeric"
            autoComplete="one-time-code"
            spellCheck={false}
            className="absolute inset-0 w-full cursor-text bg-transparent text-transparent caret-transparent outline-none selection:bg-transparent selection:text-transparent"
          />
        </div>
      )}
    </Field>
  );
}

/** Caret or selection of the focused input; null without focus. */
function useSelection() {
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const [selection, setSelection] = useState<Selection | null>(null);
  useEffect(() => {
    if (!input) return setSelection(null);
    const read = () => setSelection({ start: input.selectionStart ?? 0, end: input.selectionEnd ?? 0 });
    read();
    document.addEventListener('selectionchange', read);
    return () => document.removeEventListener('selectionchange', read);
  }, [input]);
  const follow = (event: FocusEvent<HTMLInputElement>) => setInput(event.currentTarget);
  const forget = () => setInput(null);
  return { selection, follow, forget };
}

/** Whether the box is selected, or the next digit goes there. */
function isActive(slot: number, selection: Selection | null): boolean {
  if (!selection) return false;
  const { start, end } = selection;
  return start === end ? slot === Math.min(start, CODE_LENGTH - 1) : slot >= start && slot < end;
}
