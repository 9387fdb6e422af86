import { Ellipsis } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { lateModule } from '../../lib/loading/late-module.ts';
import type { LinkProps } from '../../lib/routing.tsx';
import { type ButtonSize, type ButtonVariant, iconButtonClasses } from './button-style.ts';

export type MenuProps = {
  /** Names the button ("More actions for Holiday film"). */
  label: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
  /** `MenuItem`, `MenuLink` and `MenuLine`. */
  children: ReactNode;
};

/** Placing a menu takes 15 kB of script, so it is loaded after the page. */
const useWindow = lateModule(() => import('./menu-window.tsx'), { isLikely: true });

/** A button that opens a menu of actions, operated by arrow keys and initial letters (WAI-ARIA menu button). */
export function Menu({ children, ...button }: MenuProps) {
  const [opening, setOpening] = useState<'key' | 'pointer'>();
  const loaded = useWindow(opening !== undefined);
  if (loaded && opening)
    return (
      <loaded.MenuWindow {...button} isOpenedByKey={opening === 'key'}>
        {children}
      </loaded.MenuWindow>
    );
  return (
    <MenuButton
      {...button}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={({ detail }) => setOpening(detail === 0 ? 'key' : 'pointer')}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        setOpening('key');
      }}
    />
  );
}

type MenuButtonProps = Omit<MenuProps, 'children'> & ComponentProps<'button'>;

export function MenuButton({ label, variant = 'ghost', size = 'sm', className, ...rest }: MenuButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={iconButtonClasses(variant, size, className)}
    >
      <Ellipsis aria-hidden="true" />
    </button>
  );
}

type ItemProps = { icon: ReactNode; onSelect: () => void; children: ReactNode };

export function MenuItem(props: ItemProps) {
  const loaded = useWindow(true);
  return loaded && <loaded.WindowItem {...props} />;
}

export function MenuLink(props: LinkProps & { icon: ReactNode }) {
  const loaded = useWindow(true);
  return loaded && <loaded.WindowLink {...props} />;
}

/** A line between groups of items. */
export function MenuLine() {
  const loaded = useWindow(true);
  return loaded && <loaded.WindowLine />;
}
