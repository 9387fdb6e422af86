import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';

type StageProps = {
  /** Above the text: the title. */
  head: ReactNode;
  /** The page's one button, or a picture of its subject. */
  well?: ReactNode;
  /** Below the well; on small screens between head and body. */
  facts?: ReactNode;
  /** Below the head. */
  body?: ReactNode;
  /** On small screens the bottom bar replaces the well, and the title comes first. */
  isWellForLarge?: boolean;
  /** On small screens the body comes before the facts. */
  isBodyFirst?: boolean;
  /** Less space on small screens, for a body that should begin on the first screen. */
  isDense?: boolean;
};

/** Text on the left, the well on the right: one layout for all states, so that nothing shifts between them. */
export function Stage({
  head,
  well,
  facts,
  body,
  isWellForLarge = false,
  isBodyFirst = false,
  isDense = false,
}: StageProps) {
  return (
    <div
      className={classNames(
        'frame grid grow content-start gap-x-20 pb-16 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr] lg:pt-10 lg:pb-24',
        isDense ? 'gap-y-6 pt-2 lg:gap-y-8' : 'gap-y-10 pt-6',
      )}
    >
      <div
        className={classNames(
          'min-w-0 lg:row-start-1',
          isDense ? 'lg:pt-4' : 'lg:pt-10',
          !isWellForLarge && 'max-lg:order-2',
        )}
      >
        {head}
      </div>
      <div
        className={classNames(
          'min-w-0 self-start lg:sticky lg:top-6 lg:col-start-2 lg:row-span-2 lg:row-start-1',
          !isWellForLarge && 'max-lg:order-1',
          isWellForLarge && !facts && 'max-lg:hidden',
          isBodyFirst && 'max-lg:order-4',
        )}
      >
        {well && (
          <div
            className={classNames(
              'relative flex lg:h-68 lg:justify-center',
              isWellForLarge && 'max-lg:hidden',
            )}
          >
            {well}
          </div>
        )}
        {facts}
      </div>
      {body && <div className="min-w-0 max-lg:order-3 lg:row-start-2">{body}</div>}
    </div>
  );
}
