import { type MouseEvent, useContext, useEffect } from 'react';
import type { LinkProps, NavigateProps, NavLinkProps, To } from 'react-router';
import { hrefOf, NextPathContext, resolvePath, useRouter } from './place.ts';

export function Link({ to, replace, state, reloadDocument, onClick, ...rest }: LinkProps) {
  const { place, navigate } = useRouter();
  const { location } = place;
  const href = hrefOf(resolvePath(to, location.pathname));
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || reloadDocument || isForBrowser(event)) return;
    event.preventDefault();
    // As browsers do: following a link to the page itself adds no history entry.
    void navigate(href, { replace: replace ?? href === hrefOf(location), state });
  };
  return <a {...rest} href={href} onClick={follow} />;
}

/** The browser opens it in another tab or window. */
function isForBrowser(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { target } = event.currentTarget;
  const hasModifier = event.metaKey || event.altKey || event.ctrlKey || event.shiftKey;
  return event.button !== 0 || hasModifier || (target !== '' && target !== '_self');
}

type SidebarLinkProps = Omit<NavLinkProps, 'className' | 'style' | 'children'> &
  Pick<LinkProps, 'className' | 'style' | 'children'>;

/** Is marked as the current page from the click on, not only when the next page is ready. */
export function NavLink({ end = false, ...link }: SidebarLinkProps) {
  const path = trim(useContext(NextPathContext));
  const ours = trim(resolvePath(link.to, path).pathname);
  const isCurrent = path === ours || (!end && path.startsWith(`${ours}/`));
  return <Link {...link} aria-current={isCurrent ? 'page' : undefined} />;
}

function trim(path: string): string {
  return path.toLowerCase().replace(/\/+$/, '');
}

/** Navigates when it is rendered. */
export function Navigate({ to, replace = false, state }: NavigateProps) {
  const { navigate } = useRouter();
  const target = describe(to);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another target navigates again
  useEffect(() => void navigate(to, { replace, state }), [navigate, target, replace]);
  return null;
}

function describe(to: To): string {
  return typeof to === 'string' ? to : JSON.stringify(to);
}
