import { plural, t } from '@lingui/core/macro';
import { Search } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import type { ShownUser } from '../../../api/session/last-user.ts';
import { DIALOG_VEIL } from '../../../components/dialogs/dialog-style.ts';
import { useFocusReturn } from '../../../components/dialogs/use-focus-return.ts';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { Link, usePlace } from '../../../lib/routing.tsx';
import { type Command, findCommands, listCommands } from './commands.ts';
import { useFoundTransfers } from './found-transfers.ts';
import { Key } from './key.tsx';

type CommandPaletteProps = {
  isOpen: boolean;
  onClose: () => void;
  user: ShownUser;
  onLogout: () => void;
  onShowShortcuts: () => void;
  /** Returns what was typed before the field had the focus, and leaves further keys to the field. */
  takeTyped: () => string;
  /** Differs each time: the dialog may be called again while it closes. */
  opening: number;
};

/** Finds pages, actions and transfers. A combobox with a listbox, in a dialog. */
export function CommandPalette({ isOpen, onClose, opening, ...actions }: CommandPaletteProps) {
  const focusReturn = useFocusReturn();
  const label = t`Search or jump to…`;
  return (
    <Radix.Root open={isOpen} onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className={DIALOG_VEIL}>
          <div className="flex min-h-full items-start justify-center p-3 pt-[max(0.75rem,env(safe-area-inset-top))] sm:pt-[12vh]">
            <Radix.Content
              aria-describedby={undefined}
              {...focusReturn}
              className={
                'w-full max-w-xl overflow-hidden rounded-lg border border-line-firm bg-raised shadow-high outline-none ' +
                'data-[state=closed]:animate-pop-out data-[state=open]:animate-pop-in'
              }
            >
              <Radix.Title className="sr-only">{label}</Radix.Title>
              <Finder key={opening} label={label} onClose={onClose} {...actions} />
            </Radix.Content>
          </div>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}

type FinderProps = Omit<CommandPaletteProps, 'isOpen' | 'opening'> & { label: string };

function Finder({ label, onClose, user, onLogout, onShowShortcuts, takeTyped }: FinderProps) {
  const [text, setText] = useState('');
  const [activeId, setActiveId] = useState<string>();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // Not `autoFocus`, which would hide from the dialog where the focus was.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      field.current?.focus();
      const typed = takeTyped();
      setText((current) => current + typed);
    });
    return () => cancelAnimationFrame(frame);
  }, [takeTyped]);
  const known = useMemo(
    () => listCommands({ user, onLogout, onShowShortcuts }),
    [user, onLogout, onShowShortcuts],
  );
  const transfers = useFoundTransfers(text);
  const groups = groupCommands([...findCommands(known, text), ...transfers.found]);
  const commands = groups.flatMap(({ members }) => members);
  const active = commands.find(({ id }) => id === activeId) ?? commands[0];
  const optionId = ({ id }: Command) => `${listId}-${id}`;
  useCloseOnNavigation(onClose);

  const move = (steps: number) => {
    const place = active ? commands.indexOf(active) : 0;
    const next = commands.at((place + steps) % commands.length);
    if (!next) return;
    setActiveId(next.id);
    document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' });
  };
  const handleKey = (event: KeyboardEvent) => {
    // Enter that ends an input method's composition chooses a word, not an option.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && active) document.getElementById(optionId(active))?.click();
    else return;
    event.preventDefault();
  };
  const type = (next: string) => {
    setText(next);
    // The first result is the best one.
    setActiveId(undefined);
    list.current?.scrollTo({ top: 0 });
  };
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        {transfers.isSearching ? (
          <Spinner className="size-5 shrink-0" />
        ) : (
          <Search aria-hidden="true" className="size-5 shrink-0 text-ink-faint" />
        )}
        <input
          ref={field}
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active)}
          placeholder={t`Page, action or transfer`}
          value={text}
          maxLength={TITLE_MAX}
          onChange={(event) => type(event.target.value)}
          onKeyDown={handleKey}
          enterKeyHint="go"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="h-14 min-w-0 grow bg-transparent text-lg text-ink outline-none"
        />
        <button type="button" onClick={onClose} className="rounded-xs p-1">
          <Key>Esc</Key>
          <VisuallyHidden> {t`Close`}</VisuallyHidden>
        </button>
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={t`Results`}
        className="max-h-[min(26rem,55dvh)] overflow-y-auto overscroll-contain p-2"
      >
        {groups.map(({ name, members }) => (
          <CommandGroup key={name} name={name}>
            {members.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isActive={command === active}
                onPoint={() => setActiveId(command.id)}
                onClose={onClose}
              />
            ))}
          </CommandGroup>
        ))}
      </div>
      {commands.length === 0 && !transfers.isSearching && (
        <p className="px-5 pt-2 pb-8 text-center text-ink-soft">{t`Nothing matches “${text.trim()}”.`}</p>
      )}
      {transfers.hasFailed && (
        <p className="border-t border-line px-5 py-3 text-sm text-danger-ink">{t`Your transfers couldn't be searched.`}</p>
      )}
      <VisuallyHidden isAnnounced>
        {text.trim() &&
          !transfers.isSearching &&
          plural(commands.length, { 0: 'No results', one: '# result', other: '# results' })}
      </VisuallyHidden>
    </>
  );
}

function CommandGroup({ name, children }: { name: string; children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset may not be in a listbox.
    <div role="group" aria-labelledby={id} className="not-first:mt-2">
      <div id={id} role="presentation" className="px-3 py-1.5 text-xs text-ink-faint">
        {name}
      </div>
      {children}
    </div>
  );
}

type OptionProps = {
  id: string;
  command: Command;
  isActive: boolean;
  onPoint: () => void;
  onClose: () => void;
};

const OPTION =
  'flex min-h-11 w-full scroll-my-2 items-center gap-3 rounded-sm px-3 text-left text-ink-soft ' +
  'aria-selected:bg-press aria-selected:text-ink [&_svg]:size-5 [&_svg]:shrink-0';

/** Pages are links, so that a page with unsaved changes can catch the click, and Ctrl+click opens a tab. */
function Option({ id, command, isActive, onPoint, onClose }: OptionProps) {
  const { label, detail, icon: Icon } = command;
  const shared = {
    id,
    role: 'option',
    'aria-selected': isActive,
    tabIndex: -1,
    onPointerMove: onPoint,
    className: OPTION,
  } as const;
  const content = (
    <>
      <Icon aria-hidden="true" />
      <span className="min-w-0 grow truncate" dir="auto">
        {label}
      </span>
      {detail && <span className="shrink-0 text-sm max-sm:hidden">{detail}</span>}
    </>
  );
  if ('path' in command)
    return (
      <Link {...shared} to={command.path} onClick={onClose}>
        {content}
      </Link>
    );
  const run = () => {
    onClose();
    command.run();
  };
  return (
    <button {...shared} type="button" onClick={run}>
      {content}
    </button>
  );
}

/** After a page caught the click and asked first. */
function useCloseOnNavigation(onClose: () => void): void {
  const { key } = usePlace();
  const openedAt = useRef(key);
  useEffect(() => {
    if (key !== openedAt.current) onClose();
  }, [key, onClose]);
}

type Group = { name: string; members: Command[] };

/** Each group is where its first member is. */
function groupCommands(commands: Command[]): Group[] {
  const names = [...new Set(commands.map(({ group }) => group))];
  return names.map((name) => ({ name, members: commands.filter(({ group }) => group === name) }));
}
