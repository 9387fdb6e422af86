import { t } from '@lingui/core/macro';
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { CONTROL } from './control-style.ts';
import { Field, type FieldProps } from './field.tsx';

type TextFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, 'className' | 'children' | 'size' | 'prefix'> & {
    /** Inside the field, before the text. */
    icon?: ReactNode;
    /** A unit or small button inside the field, after the text. Passwords have their own. */
    suffix?: ReactNode;
  };

/** A single line of text; spread react-hook-form's `register(...)` into it. Passwords can be revealed. */
export function TextField(props: TextFieldProps) {
  const { label, hint, error, isOptional, aside, isLabelHidden, className, id, ...rest } = props;
  const { icon, suffix, type = 'text', ...input } = rest;
  const [isRevealed, setRevealed] = useState(false);
  const isPassword = type === 'password';
  return (
    <Field {...{ label, hint, error, isOptional, aside, isLabelHidden, className, id }}>
      {(control) => (
        <div className="relative flex items-center">
          {icon && (
            <span className="pointer-events-none absolute left-3.5 text-ink-faint [&_svg]:size-5">
              {icon}
            </span>
          )}
          <input
            {...control}
            {...input}
            type={isPassword && isRevealed ? 'text' : type}
            className={classNames(
              CONTROL,
              'h-control-md',
              icon ? 'pl-11' : 'pl-4',
              suffix || isPassword ? 'pr-12' : 'pr-4',
            )}
          />
          <span className="absolute right-1 flex items-center text-ink-faint">
            {isPassword ? (
              <IconButton
                // Without the word "password", so that searching for it finds only the field.
                label={isRevealed ? t`Hide characters` : t`Show characters`}
                aria-pressed={isRevealed}
                disabled={input.disabled}
                icon={isRevealed ? <EyeOff /> : <Eye />}
                size="sm"
                onClick={() => setRevealed(!isRevealed)}
              />
            ) : (
              suffix
            )}
          </span>
        </div>
      )}
    </Field>
  );
}
