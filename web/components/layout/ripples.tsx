import { classNames } from '../../lib/class-names.ts';

type RipplesProps = {
  /** How many rings lie in the picture. */
  count?: number;
  /**
   * `still`: drawn and at rest. `arrive`: the rings settle in once. `flow`: new rings keep spreading, for
   * waiting and for hero pictures. Reduced motion shows them at rest.
   */
  motion?: 'still' | 'arrive' | 'flow';
  /** Seen from straight above, or slanted as when looking into a well. */
  view?: 'above' | 'slanted';
  /** Accent for work under way or a moment of success; the quiet ring colour otherwise. */
  tone?: 'quiet' | 'accent';
  /** Place and size; the picture is square above and half as high slanted. */
  className?: string;
};

const SIZE = 1000;

/** The product's motif: thin concentric rings. Decoration only, so it is hidden from assistive technology. */
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

/** Rings lie closer together near the drop, like real ones: the share of the picture the ring reaches. */
function ringReach(index: number, count: number): number {
  return 0.07 + 0.93 * ((index + 1) / count) ** 1.25;
}

/** Every ring at its own moment of the same journey. Settling in is staggered by styles/motion.css. */
function flowDelay(index: number, count: number): string {
  return `calc(var(--ripple) * -${index / count})`;
}
