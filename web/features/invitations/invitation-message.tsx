import { useState } from 'react';
import { classNames } from '../../lib/class-names.ts';

/** More than fits into the lines that a card shows of it. */
const LONG = 280;
const MANY_LINES = 4;

/** What visitors read; a long one is shown in full when asked for. */
export function InvitationMessage({ message }: { message: string | null }) {
  const [isWhole, setWhole] = useState(false);
  if (!message) return <p className="mt-2 text-ink-faint">No message</p>;
  const isLong = message.length > LONG || message.split('\n').length > MANY_LINES;
  return (
    <div className="mt-2 max-w-[44rem]">
      <p
        className={classNames(
          'wrap-anywhere whitespace-pre-line text-ink-soft',
          isLong && !isWhole && 'line-clamp-4',
        )}
      >
        {message}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          className="link mt-1 py-1 text-sm"
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : 'Show the whole message'}
        </button>
      )}
    </div>
  );
}
