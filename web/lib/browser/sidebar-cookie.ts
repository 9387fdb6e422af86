const NAME = 'sidebar_state';
/** Browsers accept a cookie of this name from https only. */
const SECURE_NAME = `__Secure-${NAME}`;
const WEEK_SECONDS = 7 * 24 * 60 * 60;

/** Whether the sidebar was left open; open by default. Kept for 7 days. */
export function isSidebarOpen(cookies: string): boolean {
  const states = new Map(cookies.split('; ').map((pair) => pair.split('=', 2) as [string, string]));
  // The plain name is used on http and by earlier releases.
  return (states.get(SECURE_NAME) ?? states.get(NAME)) !== 'false';
}

/** Assign it to `document.cookie`. */
export function sidebarCookie(isOpen: boolean, { isHttps }: { isHttps: boolean }): string {
  const pair = isHttps ? `${SECURE_NAME}=${isOpen}; secure` : `${NAME}=${isOpen}`;
  return `${pair}; path=/; max-age=${WEEK_SECONDS}; samesite=lax`;
}
