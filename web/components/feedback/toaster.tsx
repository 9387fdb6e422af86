import { t } from '@lingui/core/macro';
import { CircleAlert, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { Button } from '../actions/button.tsx';
import { IconButton } from '../actions/icon-button.tsx';
import { Logo } from '../layout/logo.tsx';
import { currentToast, dismissToast, type ShownToast, subscribeToToasts } from './toast.ts';

/**
 * Shows toasts at the bottom right, so narrow that they fit beside a dialog in a window of 1280 px; at the top on phones
 * and while a dialog or page keeps its button at the lower edge, which they would cover. Mounted once in app.tsx. F8
 * focuses it.
 */
export function Toaster() {
  const shown = useSyncExternalStore(subscribeToToasts, currentToast);
  return (
    <Radix.Provider duration={5000} swipeDirection="right" swipeThreshold={50}>
      {shown && <ToastCard key={shown.id} shown={shown} />}
      {/* An open dialog hides everything else from assistive technology, except live regions. */}
      <div aria-live="off">
        <Radix.Viewport
          hotkey={['F8']}
          data-toast-region=""
          className="pointer-events-auto fixed inset-x-0 top-0 z-60 mx-auto flex w-full max-w-[30rem] flex-col p-3 pt-[max(0.75rem,env(safe-area-inset-top))] outline-none sm:low-edge-free:top-auto sm:low-edge-free:right-2 sm:low-edge-free:bottom-0 sm:low-edge-free:left-auto sm:low-edge-free:mx-0 sm:low-edge-free:max-w-[24rem] sm:p-6 empty:hidden"
        />
      </div>
    </Radix.Provider>
  );
}

function ToastCard({ shown }: { shown: ShownToast }) {
  const isDestructive = shown.variant === 'destructive';
  return (
    <Radix.Root
      open={shown.isOpen}
      onOpenChange={(isOpen) => !isOpen && dismissToast()}
      duration={isDestructive ? Number.POSITIVE_INFINITY : shown.durationMs}
      // An open dialog disables the pointer elsewhere; toasts must stay usable above it.
      style={{ pointerEvents: 'auto' }}
      className={classNames(
        'flex items-start gap-3.5 rounded-lg border bg-raised sm:[--toast-from:1.25rem] p-4 pl-5 text-ink shadow-high',
        isDestructive ? 'border-danger-ink' : 'border-line-firm',
        'data-[state=closed]:animate-toast-out data-[state=open]:animate-toast-in data-[swipe=end]:animate-swipe-out',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0',
        'data-[swipe=cancel]:transition-transform',
      )}
    >
      <span className="mt-0.5 shrink-0" aria-hidden="true">
        {isDestructive ? <CircleAlert className="size-6 text-danger-ink" /> : <Logo variant="mark" />}
      </span>
      <div className="flex min-w-0 grow flex-col gap-3 self-center">
        <div>
          <Radix.Title className="font-semibold">{shown.title}</Radix.Title>
          {shown.description && (
            <Radix.Description className="text-sm wrap-anywhere text-ink-soft">
              <Description text={shown.description} />
            </Radix.Description>
          )}
        </div>
        {shown.action && (
          <Radix.Action asChild altText={shown.action.label}>
            <Button variant="secondary" size="sm" className="self-start" onClick={shown.action.onClick}>
              {shown.action.label}
            </Button>
          </Radix.Action>
        )}
      </div>
      <Radix.Close asChild>
        <IconButton label={t`Dismiss`} icon={<X />} size="sm" tooltip="none" className="-mt-1 -mr-1" />
      </Radix.Close>
    </Radix.Root>
  );
}

/** Mutes a leading status code, which only matters for bug reports. */
function Description({ text }: { text: string }) {
  const [, status, sentence] = /^(\d{3}: )(.*)$/s.exec(text) ?? [];
  if (status === undefined) return text;
  return (
    <>
      <span className="tabular text-xs text-ink-faint">{status}</span>
      {sentence}
    </>
  );
}
