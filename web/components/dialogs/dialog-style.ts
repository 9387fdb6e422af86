/** Shared by dialogs and confirmations. */
export const DIALOG_VEIL =
  'fixed inset-0 z-40 overflow-y-auto overscroll-contain bg-veil data-[state=closed]:animate-fade-out data-[state=open]:animate-fade-in';

export const DIALOG_PLACE = 'flex min-h-full items-end justify-center sm:items-center sm:p-8';

export const DIALOG_CARD =
  'relative w-full rounded-t-xl border border-line-firm bg-raised p-6 pb-[max(2rem,env(safe-area-inset-bottom))] shadow-high outline-none ' +
  'sm:rounded-xl sm:p-8 data-[state=closed]:animate-pop-out data-[state=open]:animate-pop-in ' +
  'focus-visible:outline-2 focus-visible:outline-offset-0';
