import { classNames } from '../../lib/class-names.ts';

type RipplesProps = {
  /** Number of rings. */
  count?: number;
  /**
   * `still`: at rest. `arrive`: the rings settle in once. `flow`: new rings keep spreading. With reduced motion all
   * are still.
   */
  motion?: 'still' | 'arrive' | 'flow';
  /** From above, or in perspective. */
  view?: 'above' | 'slanted';
  /** `accent` for running work or success. */
  tone?: 'quiet' | 'accent';
  /** Position and size; square from above, half as high in perspective. */
  className?: string;
};

const SIZE = 1000;

/** Decorative concentric rings, the visual motif of the product. */
export function Ripples({
  count = 7,
  motion = 'still',
  view = 'above',
  tone = 'quiet',
  className,
}: RipplesProps) {
  const height = view === 'above' ? SIZE : SIZE / 2.4;
  const rings = Array.from({ length: count }, (_, index) => index);
  return (
    <svg
      viewBox={`0 0 ${SIZE} ${height}`}
      fill="none"
      aria-hidden="true"
      data-motion={motion}
      className={classNames(
        'ripples pointer-events-none',
        tone === 'accent' ? 'text-accent-ink' : 'text-ring',
        className,
      )}
    >
      {rings.map((index) => {
        const reach = ringReach(index, count);
        return (
          <ellipse
            key={index}
            cx={SIZE / 2}
            cy={height / 2}
            rx={(SIZE / 2 - 1) * reach}
            ry={(height / 2 - 1) * reach}
            stroke="currentColor"
            strokeOpacity={1 - 0.85 * reach ** 2}
            vectorEffect="non-scaling-stroke"
            style={motion === 'flow' ? { animationDelay: flowDelay(index, count) } : undefined}
          />
        );
      })}
    </svg>
  );
}

/** The radius of a ring as a share of the picture. Like real ripples, rings are closer together near the drop. */
function ringReach(index: number, count: number): number {
  return 0.07 + 0.93 * ((index + 1) / count) ** 1.25;
}

/** Staggers the rings. Settling in is staggered by styles/motion.css. */
function flowDelay(index: number, count: number): string {
  return `calc(var(--ripple) * -${index / count})`;
}
