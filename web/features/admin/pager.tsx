import { ChevronLeft, ChevronRight } from 'lucide-react';
import { errorDetail } from '../../../client/api-error.ts';
import { Button } from '../../components/button.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import type { Paging } from './use-pages.ts';

/** The way to the neighbouring pages; nothing when there is only one. */
export function Pager({ label, paging }: { label: string; paging: Paging }) {
  const { number, hasPrevious, hasNext, isLoadingNext, error, previous, next } = paging;
  if (!hasPrevious && !hasNext) return null;
  return (
    <nav aria-label={label} className="mt-6 flex flex-wrap items-center justify-center gap-3">
      <Button
        variant="secondary"
        size="sm"
        icon={<ChevronLeft aria-hidden="true" />}
        disabled={!hasPrevious}
        onClick={previous}
      >
        Previous
      </Button>
      <span className="tabular min-w-16 text-center text-sm text-ink-soft">Page {number}</span>
      <Button variant="secondary" size="sm" disabled={!hasNext} isBusy={isLoadingNext} onClick={next}>
        Next <ChevronRight aria-hidden="true" />
      </Button>
      {error && (
        <p role="alert" className="w-full text-center text-sm text-danger-ink">
          The next page did not load. {errorDetail(error)}
        </p>
      )}
      <VisuallyHidden isAnnounced>{`Page ${number}`}</VisuallyHidden>
    </nav>
  );
}
