import { t } from '@lingui/core/macro';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { iconButtonClasses } from '../actions/button-style.ts';
import { useGestures } from './gestures.ts';
import type { LightboxItem } from './lightbox.tsx';
import { LightboxSlide } from './lightbox-slide.tsx';
import type { Zoom } from './zoom.ts';

type LightboxStageProps = {
  items: LightboxItem[];
  index: number;
  zoom: Zoom;
  isPicture: boolean;
  onShow: (index: number) => void;
  onDownload: ((id: string) => void) | undefined;
};

/** The current item between its neighbors, which preload and slide in from the side. */
export function LightboxStage({ items, index, zoom, isPicture, onShow, onDownload }: LightboxStageProps) {
  const canPage = (step: number) => items[index + step] !== undefined;
  const gestures = useGestures({ zoom, isPicture, canPage, onPage: (step) => onShow(index + step) });
  const shown = [index - 1, index, index + 1].filter((each) => items[each]);
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <div
        ref={zoom.surface}
        data-testid="lightbox-stage"
        className={classNames(
          'group/stage relative min-h-0 grow overflow-clip',
          isPicture ? 'touch-none select-none' : 'touch-pan-y',
        )}
        {...gestures}
      >
        {shown.map((each) => (
          <div
            key={items[each]!.id}
            inert={each !== index}
            className="absolute inset-0 transition-[translate] duration-(--brisk) ease-settle group-data-dragging/stage:transition-none"
            style={{ translate: `calc(${each - index} * (100% + 2rem) + var(--drag, 0px))` }}
          >
            <LightboxSlide
              item={items[each]!}
              zoom={each === index ? zoom : undefined}
              onDownload={onDownload}
            />
          </div>
        ))}
      </div>
      {items.length > 1 && (
        <div className="flex shrink-0 items-center justify-between px-[max(0.75rem,env(safe-area-inset-left))] pt-2 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:pointer-events-none sm:absolute sm:inset-0 sm:p-0 sm:px-4">
          <PageButton
            label={t`Previous`}
            icon={<ChevronLeft />}
            isEnabled={canPage(-1)}
            onClick={() => onShow(index - 1)}
          />
          <p aria-hidden="true" className="tabular text-sm text-ink-soft sm:hidden">
            {index + 1} / {items.length}
          </p>
          <PageButton
            label={t`Next`}
            icon={<ChevronRight />}
            isEnabled={canPage(1)}
            onClick={() => onShow(index + 1)}
          />
        </div>
      )}
    </div>
  );
}

type PageButtonProps = { label: string; icon: ReactNode; isEnabled: boolean; onClick: () => void };

/** Uses aria-disabled at the ends, because a removed or disabled button would lose keyboard focus. */
function PageButton({ label, icon, isEnabled, onClick }: PageButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={!isEnabled}
      onClick={isEnabled ? onClick : undefined}
      className={iconButtonClasses(
        'secondary',
        'md',
        'pointer-events-auto backdrop-blur-md aria-disabled:opacity-40 sm:bg-sunken/60',
      )}
    >
      {icon}
    </button>
  );
}
