import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Search } from 'lucide-react';
import { Suspense, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import type { ShownUser } from '../../../api/session/last-user.ts';
import { tooltip } from '../../../components/tooltips/tooltip.ts';
import { isDialogOpen, useSingleKey } from '../../../lib/hooks/use-single-key.ts';
import { lazy } from '../../../lib/loading/lazy.ts';
import { Link } from '../../../lib/routing.tsx';
import { CONTROL_KEY, Key } from './key.tsx';

const CommandPalette = lazy(() =>
  import('./command-palette.tsx').then((module) => ({ default: module.CommandPalette })),
);
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then((module) => ({ default: module.ShortcutsDialog })),
);

type CommandLayerProps = { user: ShownUser; onLogout: () => void };
type Layer = 'palette' | 'shortcuts';

/** The button of the command palette, and the keyboard shortcuts of all signed-in pages. */
export function CommandLayer({ user, onLogout }: CommandLayerProps) {
  const [layer, setLayer] = useState<Layer>();
  // Each is loaded when it is first opened, and then stays for its closing animation.
  const [loaded, setLoaded] = useState<readonly Layer[]>([]);
  const [openings, setOpenings] = useState(0);
  const uploadLink = useRef<HTMLAnchorElement>(null);
  const open = (next: Layer) => {
    setLoaded((known) => (known.includes(next) ? known : [...known, next]));
    setLayer(next);
    setOpenings((count) => count + 1);
  };
  const close = () => setLayer(undefined);
  const takeTyped = useTypedAhead(layer === 'palette', close);
  useControlK(layer === 'palette', (isOpen) => (isOpen ? open('palette') : close()));
  useSingleKey('?', () => open('shortcuts'));
  // A click on a link, which a page with unsaved changes can catch.
  useSingleKey('n', () => uploadLink.current?.click());
  return (
    <>
      <Link ref={uploadLink} to={PAGES.upload} hidden tabIndex={-1}>
        <Trans>New upload</Trans>
      </Link>
      <PaletteButton onClick={() => open('palette')} />
      <Suspense fallback={null}>
        {loaded.includes('palette') && (
          <CommandPalette
            isOpen={layer === 'palette'}
            onClose={close}
            user={user}
            onLogout={onLogout}
            onShowShortcuts={() => open('shortcuts')}
            takeTyped={takeTyped}
            opening={openings}
          />
        )}
        {loaded.includes('shortcuts') && <ShortcutsDialog isOpen={layer === 'shortcuts'} onClose={close} />}
      </Suspense>
    </>
  );
}

function PaletteButton({ onClick }: { onClick: () => void }) {
  const label = t`Search or jump to…`;
  return (
    <button
      type="button"
      onClick={onClick}
      {...tooltip(label, 'bottom')}
      // Contains the visible text (WCAG 2.5.3).
      aria-label={`${label} ${CONTROL_KEY} K`}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      className={
        'inline-flex h-control-sm min-w-control-sm items-center justify-center gap-2 rounded-full border ' +
        'border-transparent text-sm text-ink-soft transition-colors duration-(--quick) hover:bg-hover hover:text-ink ' +
        'sm:border-line-firm sm:px-3 [&_svg]:size-5 sm:[&_svg]:size-4'
      }
    >
      <Search aria-hidden="true" />
      <span aria-hidden="true" className="flex items-center gap-2 max-sm:hidden">
        {label}
        <Key>{`${CONTROL_KEY} K`}</Key>
      </span>
    </button>
  );
}

/**
 * Collects what is typed after the palette was called and before its field has the focus, which would otherwise change
 * the field behind it or be lost. Escape calls the palette off. Returns the function that takes the text and ends the
 * collecting.
 */
function useTypedAhead(isCalled: boolean, onCancel: () => void): () => string {
  const typed = useRef('');
  const isTaken = useRef(true);
  const cancel = useEffectEvent(onCancel);
  useEffect(() => {
    if (!isCalled) return;
    typed.current = '';
    isTaken.current = false;
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTaken.current) return;
      if (event.key === 'Escape') return cancel();
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      if (event.key.length === 1) typed.current += event.key;
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [isCalled]);
  return useCallback(() => {
    const text = typed.current;
    typed.current = '';
    isTaken.current = true;
    return text;
  }, []);
}

/** Ctrl+K or Cmd+K, also while typing, but not over another dialog. */
function useControlK(isOpen: boolean, onChange: (isOpen: boolean) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      if (event.shiftKey || event.altKey) return;
      // Otherwise the browser would open its own search.
      event.preventDefault();
      if (isOpen || !isDialogOpen()) onChange(!isOpen);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
}
