import { Spinner } from '../spinner.tsx';

/** Shown only when it takes a while. */
export function MediaLoading() {
  return (
    <p
      role="status"
      className="absolute inset-0 m-auto flex size-fit animate-fade-in items-center gap-3 text-ink-soft [animation-delay:250ms]"
    >
      <Spinner className="size-5" /> Loading preview
    </p>
  );
}
