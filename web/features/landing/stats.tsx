import { Ripples } from '../../components/layout/ripples.tsx';

/** Fixed figures, not measured. */
const STATS = [
  { value: '10K+', label: 'files shared' },
  { value: '2K+', label: 'active users' },
  { value: '500GB', label: 'storage used' },
];

export function Stats() {
  return (
    <section
      aria-label="Sendwell in numbers"
      className="relative isolate overflow-clip border-t border-line bg-sunken"
    >
      <Ripples
        view="slanted"
        count={11}
        className="absolute top-[96%] left-1/2 -z-10 w-[max(70rem,118vw)] -translate-x-1/2 -translate-y-1/2"
      />
      <dl className="frame flex flex-wrap justify-between gap-x-12 gap-y-8 py-chapter">
        {STATS.map(({ value, label }) => (
          <div key={label} className="flex flex-col-reverse gap-2">
            <dt className="text-lg text-ink-soft">{label}</dt>
            <dd className="font-heading text-[clamp(4rem,2rem+8vw,8.5rem)] leading-[0.86]">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
