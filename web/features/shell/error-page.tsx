import { Trans } from '@lingui/react/macro';
import { Component, type ReactNode } from 'react';
import { Button } from '../../components/actions/button.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';

type ErrorBoundaryProps = { children: ReactNode };

/** Catches errors while rendering a page: a bug, or a code chunk that is gone after an update. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <ErrorPage /> : this.props.children;
  }
}

type ErrorPageProps = { onReload?: () => void };

export function ErrorPage({ onReload = () => window.location.reload() }: ErrorPageProps) {
  return (
    <main
      id="main"
      className="relative isolate flex min-h-dvh flex-col items-center justify-center overflow-hidden px-gutter text-center"
    >
      <Ripples
        count={8}
        className="absolute top-1/2 left-1/2 -z-10 size-[60rem] -translate-x-1/2 -translate-y-1/2"
      />
      <h1 className="text-4xl">
        <Trans>This page couldn't be loaded</Trans>
      </h1>
      <p className="mt-4 max-w-[32rem] text-ink-soft">
        <Trans>
          The connection may have been lost, or Sendwell was just updated. Reloading usually helps.
        </Trans>
      </p>
      <Button className="mt-8" size="lg" onClick={onReload}>
        <Trans>Reload</Trans>
      </Button>
    </main>
  );
}
