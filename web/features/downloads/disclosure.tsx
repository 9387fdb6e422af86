import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

type DisclosureProps = {
  summary: ReactNode;
  onToggle?: (isOpen: boolean) => void;
  children: ReactNode;
};

export function Disclosure({ summary, onToggle, children }: DisclosureProps) {
  return (
    <details
      className="group text-sm text-ink-faint"
      onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}
    >
      <summary className="flex w-fit list-none items-start gap-2 rounded-xs py-1 pr-2 transition-colors duration-(--quick) hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="mt-px -ml-0.5 size-5 shrink-0 transition-[rotate] duration-(--brisk) group-open:rotate-90"
        />
        <span>{summary}</span>
      </summary>
      <div className="mt-3 mb-2">{children}</div>
    </details>
  );
}
