import { type ClipboardEvent, type KeyboardEvent, type Ref, useImperativeHandle, useRef } from 'react';
import { classNames } from '../lib/class-names.ts';
import { describeEmailMistakes } from '../lib/email-list.ts';
import { EmailChips } from './email-chips.tsx';
import { Field, type FieldProps } from './field.tsx';
import { useBlurAfterPress } from './use-blur-after-press.ts';
import { useEmailEntries } from './use-email-entries.ts';
import { VisuallyHidden } from './visually-hidden.tsx';

type EmailsFieldProps = FieldProps & {
  /** The addresses separated by commas; what is still being typed stands last. Read it with `parseEmails`. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  /** More addresses than this are a mistake. */
  max: number;
  name?: string;
  disabled?: boolean;
  autoFocus?: boolean;
  ref?: Ref<{ focus(): void }>;
};

/**
 * Email addresses, each a chip as soon as it is finished by a comma, semicolon, Enter or leaving; lists and
 * names of mail programs can be pasted. Wrong addresses are marked and named below, and pressing one brings it
 * back to be mended, as Backspace does with the last.
 */
export function EmailsField(props: EmailsFieldProps) {
  const { value, onChange, onBlur, max, name, disabled, autoFocus, ref, error, ...field } = props;
  const input = useRef<HTMLInputElement>(null);
  const { entries, draft, news, type, finish, takeBack, remove } = useEmailEntries(value, onChange);
  const focus = () => input.current?.focus();
  useImperativeHandle(ref, () => ({ focus: () => input.current?.focus() }));
  const leave = useBlurAfterPress(() => draft.trim() && finish(draft));

  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = entries.at(-1);
    if (event.key === 'Enter' && draft.trim() && !event.nativeEvent.isComposing) {
      event.preventDefault();
      finish(draft);
    } else if (event.key === 'Backspace' && draft === '' && last) {
      event.preventDefault();
      takeBack(last);
    }
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (!/[\s,;<]/.test(text.trim())) return;
    event.preventDefault();
    finish(text, draft);
  };
  const correct = (email: string) => {
    takeBack(email);
    focus();
  };

  return (
    <Field {...field} error={error ?? describeEmailMistakes(entries, max)}>
      {(control) => (
        <div className={classNames(FRAME, control['aria-invalid'] ? 'border-danger-ink' : 'border-edge')}>
          <EmailChips
            emails={entries}
            isDisabled={disabled}
            onCorrect={correct}
            onRemove={remove}
            onLeave={focus}
          />
          <input
            {...control}
            ref={input}
            name={name}
            disabled={disabled}
            // biome-ignore lint/a11y/noAutofocus: only where the person has just asked for this field.
            autoFocus={autoFocus}
            value={draft}
            inputMode="email"
            enterKeyHint="done"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={({ target }) => type(target.value)}
            onKeyDown={press}
            onPaste={paste}
            onBlur={() => {
              leave();
              onBlur?.();
            }}
            // The ring is the frame's; this one shows where the system forces its own colours.
            className="h-8 min-w-24 grow basis-24 bg-transparent px-2.5 text-base text-ink outline-transparent disabled:text-ink-faint"
          />
          <VisuallyHidden isAnnounced>{news}</VisuallyHidden>
        </div>
      )}
    </Field>
  );
}

const FRAME =
  'relative flex max-h-56 min-h-control-md w-full min-w-0 flex-wrap items-center gap-1.5 overflow-y-auto rounded-md border ' +
  'bg-surface p-[0.3125rem] transition-[border-color,background-color] duration-(--quick) hover:border-ink-soft ' +
  'has-[input:focus-visible]:border-accent-ink has-[input:focus-visible]:outline-2 ' +
  'has-[input:focus-visible]:outline-accent-ink has-[input:disabled]:border-line has-[input:disabled]:bg-hover';
