import { t } from '@lingui/core/macro';
import { Search, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useDeviceSwitch } from '../../lib/browser/device-switch.ts';
import { useSingleKey } from '../../lib/hooks/use-single-key.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { Spinner } from '../feedback/spinner.tsx';
import { TextField } from './text-field.tsx';

const DEBOUNCE_MS = 250;

type SearchFieldProps = {
  /** The accessible name ("Search transfers"). */
  label: string;
  /** The fields that are searched ("Title, message or file"). */
  placeholder: string;
  maxLength: number;
  search: string;
  onSearch: (search: string) => void;
  isSearching: boolean;
  field: RefObject<HTMLInputElement | null>;
};

/** Searches while typing. '/' focuses the field, Escape clears it. */
export function SearchField({ search, onSearch, isSearching, field, ...words }: SearchFieldProps) {
  const [text, setText] = useSearchText(search, onSearch);
  const focusField = () => {
    field.current?.focus();
    field.current?.select();
  };
  useSingleKey('/', focusField);
  const hasSlashKey = useDeviceSwitch('single-key-shortcuts');
  const clear = () => {
    setText('');
    onSearch('');
    field.current?.focus();
  };
  const clearOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && text) clear();
    if (event.key === 'Enter') onSearch(text.trim());
  };
  return (
    <TextField
      ref={field}
      {...words}
      isLabelHidden
      className="grow"
      icon={isSearching ? <Spinner /> : <Search />}
      suffix={
        text ? (
          <IconButton label={t`Clear search`} icon={<X />} size="sm" onClick={clear} />
        ) : (
          hasSlashKey && (
            <span
              aria-hidden="true"
              className="mr-2 rounded-xs border border-line-firm px-2 font-mono text-xs leading-5.5 max-sm:hidden"
            >
              /
            </span>
          )
        )
      }
      inputMode="search"
      enterKeyHint="search"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      aria-keyshortcuts={hasSlashKey ? '/' : undefined}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={clearOnEscape}
    />
  );
}

/** The typed text is ahead of the search, but follows it when it changes elsewhere (Back). */
function useSearchText(search: string, onSearch: (search: string) => void) {
  const [text, setText] = useState(search);
  const asked = useRef(search);
  useEffect(() => {
    if (search === asked.current) return;
    asked.current = search;
    setText(search);
  }, [search]);
  const wish = text.trim();
  useEffect(() => {
    if (wish === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = wish;
      onSearch(wish);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  });
  return [text, setText] as const;
}
