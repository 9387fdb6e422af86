import { t } from '@lingui/core/macro';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';

type LeaveGuardProps = {
  /** Whether leaving would lose something. */
  isActive: boolean;
  title: string;
  /** What is lost, and what is kept. */
  description: ReactNode;
  confirmLabel: string;
};

/** From the Navigation API, which some browsers lack. */
type Traversal = Event & { navigationType: string; destination: { key: string; url: string } };
type BrowserNavigation = EventTarget & { traverseTo(key: string): void };

/** Confirms before a click, the Back button, a reload or closing the tab loses something. */
export function LeaveGuard({ isActive, ...words }: LeaveGuardProps) {
  const [, navigate] = useLocation();
  const [leave, setLeave] = useState<(() => void) | undefined>();

  useEffect(() => {
    if (!isActive) return;
    const navigation = (window as { navigation?: BrowserNavigation }).navigation;
    let isLeaving = false;
    const askLater = (go: () => void) =>
      setLeave(() => () => {
        isLeaving = true;
        go();
      });
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    const catchLink = (event: MouseEvent) => {
      const path = innerPath(event);
      if (!path || isLeaving) return;
      event.preventDefault();
      event.stopPropagation();
      askLater(() => navigate(path));
    };
    const catchTraversal = (event: Event) => {
      const { navigationType, destination, cancelable } = event as Traversal;
      if (navigationType !== 'traverse' || !cancelable || isLeaving) return;
      // Only closes something that covers the page.
      if (destination.url === window.location.href) return;
      event.preventDefault();
      askLater(() => navigation?.traverseTo(destination.key));
    };
    window.addEventListener('beforeunload', warn);
    document.addEventListener('click', catchLink, { capture: true });
    navigation?.addEventListener('navigate', catchTraversal);
    return () => {
      window.removeEventListener('beforeunload', warn);
      document.removeEventListener('click', catchLink, { capture: true });
      navigation?.removeEventListener('navigate', catchTraversal);
      setLeave(undefined);
    };
  }, [isActive, navigate]);

  return (
    <ConfirmDialog
      {...words}
      isOpen={isActive && leave !== undefined}
      onOpenChange={(isOpen) => !isOpen && setLeave(undefined)}
      cancelLabel={t`Stay`}
      isDestructive
      onConfirm={() => leave?.()}
    />
  );
}

/** Target of a plain click on a link to another page of the application in this tab. */
function innerPath(event: MouseEvent): string | undefined {
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link?.href || event.button !== 0 || hasModifier || link.target === '_blank') return undefined;
  const url = new URL(link.href);
  const isOurs = url.origin === window.location.origin && !link.hasAttribute('download');
  const page = url.pathname + url.search;
  if (!isOurs || page === window.location.pathname + window.location.search) return undefined;
  return page + url.hash;
}
