/** Shared by text fields, text areas and selects. */
export const CONTROL =
  'w-full min-w-0 rounded-md border border-edge bg-surface text-base text-ink transition-[border-color,background-color] duration-(--quick) hover:border-ink-soft focus-visible:border-accent-ink focus-visible:outline-offset-0 aria-invalid:border-danger-ink aria-invalid:focus-visible:outline-danger-ink read-only:not-[select]:border-line-firm read-only:not-[select]:bg-transparent disabled:border-line disabled:bg-hover disabled:text-ink-faint';
