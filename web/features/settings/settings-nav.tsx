import { t } from '@lingui/core/macro';
import { useEffect, useRef } from 'react';
import { Link } from '../../lib/routing.tsx';
import type { SettingsPart } from './settings-parts.ts';

type SettingsNavProps = { parts: readonly SettingsPart[]; current: SettingsPart };

/** A column beside the part; on narrow windows a row that scrolls sideways. */
export function SettingsNav({ parts, current }: SettingsNavProps) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current link moves with the part.
  useEffect(() => centerCurrent(list.current), [current]);
  return (
    <nav
      aria-label={t`Settings sections`}
      className="min-w-0 max-lg:-mx-gutter max-lg:border-b max-lg:border-line"
    >
      <ul
        ref={list}
        className={
          'flex lg:sticky lg:top-[calc(var(--topbar)+1.5rem)] lg:flex-col lg:gap-0.5 ' +
          'max-lg:gap-6 max-lg:overflow-x-auto max-lg:px-gutter max-lg:[scrollbar-width:none]'
        }
      >
        {parts.map((part) => (
          <li key={part.path} className="shrink-0">
            <Link
              to={part.path}
              aria-current={part === current ? 'page' : undefined}
              onPointerEnter={part.preload}
              onFocus={part.preload}
              className={
                'block text-sm text-ink-soft transition-colors duration-(--quick) hover:text-ink ' +
                'focus-visible:-outline-offset-2 aria-[current=page]:font-medium aria-[current=page]:text-accent-ink ' +
                'lg:-ml-3.5 lg:rounded-full lg:px-3.5 lg:py-1.5 lg:hover:bg-hover lg:aria-[current=page]:bg-accent-wash ' +
                'max-lg:border-b-2 max-lg:border-transparent max-lg:py-3 max-lg:aria-[current=page]:border-accent-ink ' +
                // Forced colors drop the background and draw transparent borders.
                'forced-colors:border-b-0 forced-colors:aria-[current=page]:underline'
              }
            >
              {part.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Only sideways: `scrollIntoView` would also move the page. */
function centerCurrent(list: HTMLUListElement | null): void {
  const link = list?.querySelector('[aria-current]');
  if (!list || !link) return;
  const [row, item] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  list.scrollLeft += item.left + item.width / 2 - (row.left + row.width / 2);
}
