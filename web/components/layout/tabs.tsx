import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { classNames } from '../../lib/class-names.ts';

export type Tab<Id extends string> = {
  id: Id;
  label: string;
  /** Shown beside the label; `countLabel` is announced with it. */
  count?: number;
  countLabel?: string;
};

type TabsProps<Id extends string> = {
  label: string;
  tabs: readonly Tab<Id>[];
  current: Id;
  onChange: (id: Id) => void;
  /** The panel of the current tab. */
  children: ReactNode;
};

/** Tabs with one panel: arrow keys, Home and End select (WAI-ARIA tabs pattern). */
export function Tabs<Id extends string>({ label, tabs, current, onChange, children }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const position = tabs.findIndex(({ id }) => id === current);
  const select = (event: KeyboardEvent) => {
    const last = tabs.length - 1;
    const targets: Record<string, number> = {
      ArrowRight: position === last ? 0 : position + 1,
      ArrowLeft: position === 0 ? last : position - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onChange(tabs[target]!.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[target]?.focus();
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={select}
        className="flex gap-1 rounded-full bg-sunken p-1"
      >
        {tabs.map(({ id, label: name, count, countLabel }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}-${id}`}
            aria-selected={id === current}
            aria-controls={`${prefix}-panel`}
            tabIndex={id === current ? 0 : -1}
            onClick={() => onChange(id)}
            className={classNames(
              'flex min-h-9 grow items-center justify-center gap-2 rounded-full px-4 text-sm font-medium transition-colors duration-(--quick)',
              id === current
                ? 'bg-raised text-ink shadow-xs forced-colors:outline-2'
                : 'text-ink-soft hover:text-ink',
            )}
          >
            {name}
            {count !== undefined && (
              <>
                <span aria-hidden="true" className="tabular text-ink-faint">
                  {count}
                </span>
                <span className="sr-only">({countLabel})</span>
              </>
            )}
          </button>
        ))}
      </div>
      <div id={`${prefix}-panel`} role="tabpanel" aria-labelledby={`${prefix}-${current}`}>
        {children}
      </div>
    </>
  );
}
