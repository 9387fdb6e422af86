import { t } from '@lingui/core/macro';
import { Ripples } from '../layout/ripples.tsx';

/** Full-page loading indicator. */
export function SpinnerPage({ label = t`Loading` }: { label?: string }) {
  return (
    <div
      role="status"
      aria-busy="true"
      className="grid min-h-dvh animate-fade-in place-items-center overflow-hidden [animation-delay:200ms]"
    >
      <Ripples motion="flow" tone="accent" count={4} className="size-48" />
      <span className="sr-only">{label}</span>
    </div>
  );
}
