const NAME = 'sidebar_state';
const WEEK_SECONDS = 7 * 24 * 60 * 60;

/** Whether the sidebar was left open; open when nothing is known. Specification section 9: kept for 7 days. */
export function isSidebarOpen(cookies: string): boolean {
  return !cookies.split('; ').includes(`${NAME}=false`);
}

/** The text to assign to `document.cookie`. */
export function sidebarCookie(isOpen: boolean): string {
  return `${NAME}=${isOpen}; path=/; max-age=${WEEK_SECONDS}; samesite=lax`;
}
