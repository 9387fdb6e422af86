import { t } from '@lingui/core/macro';
import { CircleAlert, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { isEmail } from '../../../contracts/values/fields.ts';
import { classNames } from '../../lib/class-names.ts';
import { describeEmailMistakes, parseEmails } from '../../lib/values/email-list.ts';
import { VisuallyHidden } from '../layout/visually-hidden.tsx';
import { Field, type FieldProps } from './field.tsx';
import { useBlurAfterPress } from './use-blur-after-press.ts';

type EmailsFieldProps = FieldProps & {
  /** Comma-separated addresses; an unfinished one is last. Parse with `parseEmails`. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  /** More addresses than this are refused. */
  max: number;
  name?: string;
  disabled?: boolean;
  autoFocus?: boolean;
  ref?: Ref<{ focus(): void }>;
};

/**
 * Email addresses as chips. A comma, semicolon, Enter or leaving the field completes an address; lists and names from
 * mail programs can be pasted. Invalid addresses are marked and listed below; pressing one edits it, as Backspace
 * does with the last.
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
            // The frame draws the focus ring; this one appears in forced colors.
            className="h-8 min-w-24 grow basis-24 bg-transparent px-2.5 text-base text-ink outline-transparent disabled:text-ink-faint"
          />
          <VisuallyHidden isAnnounced>{news}</VisuallyHidden>
        </div>
      )}
    </Field>
  );
}

const FRAME =
  'relative flex max-h-56 min-h-control-md w-full min-w-0 flex-wrap items-center gap-1.5 overflow-y-auto rounded-md border bg-surface p-[0.3125rem] transition-[border-color,background-color] duration-(--quick) hover:border-ink-soft has-[input:focus-visible]:border-accent-ink has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-accent-ink has-[input:disabled]:border-line has-[input:disabled]:bg-hover';

type EmailChipsProps = {
  emails: string[];
  isDisabled: boolean | undefined;
  onRemove: (email: string) => void;
  /** Edits an invalid address. */
  onCorrect: (email: string) => void;
  /** Moves the focus behind the last chip. */
  onLeave: () => void;
};

/** One chip per address. A single tab stop: arrow keys move, Delete and Backspace remove. */
function EmailChips({ emails, isDisabled, onRemove, onCorrect, onLeave }: EmailChipsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  if (emails.length === 0) return null;
  const stop = Math.min(current, emails.length - 1);

  const focus = (index: number) => {
    if (index < 0) return;
    setCurrent(index);
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>('[data-remove]');
    if (buttons?.[index]) buttons[index].focus();
    else onLeave();
  };
  const remove = (index: number) => {
    onRemove(emails[index]!);
    // After rendering, the next chip has this index.
    requestAnimationFrame(() => focus(index));
  };
  const press = (event: KeyboardEvent, index: number) => {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -index,
      End: emails.length - 1 - index,
    };
    const step = steps[event.key];
    if (step === undefined && event.key !== 'Delete' && event.key !== 'Backspace') return;
    event.preventDefault();
    if (step === undefined) remove(index);
    else focus(index + step);
  };

  return (
    <ul ref={list} aria-label={t`Addresses`} className="contents">
      {emails.map((email, index) => (
        <li key={email} className={classNames(CHIP, isEmail(email) ? GOOD : WRONG)}>
          {isEmail(email) ? (
            <span className="truncate" title={email}>
              {email}
            </span>
          ) : (
            <button
              type="button"
              disabled={isDisabled}
              aria-label={t`Correct ${email}, which is not an email address`}
              onClick={() => onCorrect(email)}
              className="flex h-full min-w-6 items-center gap-1.5 rounded-xs underline decoration-dotted underline-offset-4"
            >
              <CircleAlert aria-hidden="true" className="size-4 shrink-0" />
              <span className="truncate">{email}</span>
            </button>
          )}
          <button
            type="button"
            data-remove=""
            disabled={isDisabled}
            tabIndex={index === stop ? 0 : -1}
            aria-label={t`Remove ${email}`}
            onClick={() => remove(index)}
            onKeyDown={(event) => press(event, index)}
            onFocus={() => setCurrent(index)}
            className="grid size-6 shrink-0 place-items-center rounded-full hover:bg-press disabled:hidden"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}

const CHIP =
  'flex h-8 max-w-full min-w-0 animate-fade-in items-center gap-1 rounded-sm pr-1 pl-2.5 text-sm has-[[data-remove]:disabled]:pr-2.5';
const GOOD = 'bg-press text-ink';
const WRONG = 'bg-danger-wash text-danger-ink';

type Content = { entries: string[]; draft: string };

type EmailEntries = Content & {
  /** The last change, for screen readers. */
  news: string;
  /** Sets the text behind the chips; completed addresses in it become chips. */
  type(text: string): void;
  /** Turns a text into chips and continues with `rest`. */
  finish(text: string, rest?: string): void;
  /** Turns a chip back into text. */
  takeBack(email: string): void;
  remove(email: string): void;
};

/** Chips and the text behind them, as one comma-separated value. */
function useEmailEntries(value: string, onChange: (value: string) => void): EmailEntries {
  const [content, setContent] = useContent(value);
  const [news, setNews] = useState('');
  const { entries, draft } = content;
  const change = (next: Content) => {
    setContent(next);
    onChange(toText(next));
  };
  const without = (email: string) => entries.filter((each) => each !== email);

  const finish = (text: string, rest = '') => {
    const next = parseEmails([...entries, text].join(', '));
    const added = next.slice(entries.length);
    if (added.length > 0) setNews(t`${added.join(', ')} added`);
    change({ entries: next, draft: rest });
  };
  const type = (text: string) => {
    const end = findFinishedEnd(text);
    if (end > 0) finish(text.slice(0, end), text.slice(end).trimStart());
    else change({ entries, draft: text });
  };
  const takeBack = (email: string) =>
    change({ entries: parseEmails([...without(email), draft].join(', ')), draft: email });
  const remove = (email: string) => {
    setNews(t`${email} removed`);
    change({ entries: without(email), draft });
  };
  return { entries, draft, news, type, finish, takeBack, remove };
}

/** Reset when the value changes from outside. */
function useContent(value: string): [Content, (content: Content) => void] {
  const [content, setContent] = useState(() => toContent(value));
  const [known, setKnown] = useState(value);
  if (value === known) return [content, setContent];
  setKnown(value);
  if (value === toText(content)) return [content, setContent];
  const next = toContent(value);
  setContent(next);
  return [next, setContent];
}

function toContent(value: string): Content {
  return { entries: parseEmails(value), draft: '' };
}

function toText({ entries, draft }: Content): string {
  return [...entries, draft.trim()].filter(Boolean).join(', ');
}

/** End of the completed part: after its last separator, or a space behind a whole address. */
function findFinishedEnd(text: string): number {
  const isQuoting = text.split('"').length % 2 === 0;
  if (isQuoting) return 0;
  if (/\s$/.test(text) && isEmail(text.trim())) return text.length;
  return Math.max(text.lastIndexOf(','), text.lastIndexOf(';')) + 1;
}
