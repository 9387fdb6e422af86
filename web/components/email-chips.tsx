import { CircleAlert, X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { isEmail } from '../../contracts/values/fields.ts';
import { classNames } from '../lib/class-names.ts';

type EmailChipsProps = {
  emails: string[];
  isDisabled: boolean | undefined;
  onRemove: (email: string) => void;
  /** A wrong address is to be mended. */
  onCorrect: (email: string) => void;
  /** The focus goes on behind the last chip. */
  onLeave: () => void;
};

/** One chip per address. A single stop for the Tab key: arrows go along, Delete and Backspace remove. */
export function EmailChips({ emails, isDisabled, onRemove, onCorrect, onLeave }: EmailChipsProps) {
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
    // The one behind takes its place once the list is drawn anew.
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
    <ul ref={list} aria-label="Addresses" className="contents">
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
              aria-label={`Correct ${email}, which is not an email address`}
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
            aria-label={`Remove ${email}`}
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
