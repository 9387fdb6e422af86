import { Ripples } from '../../components/ripples.tsx';

const FACTS = [
  { value: '50GB', label: 'max file size' },
  { value: '90 days', label: 'storage' },
];

/** Product benefits, beside the form on wide windows. */
export function AuthSidePanel() {
  return (
    <aside className="sticky top-0 isolate hidden h-dvh overflow-hidden border-r border-line bg-sunken lg:flex lg:flex-col lg:justify-between">
      <Ripples
        motion="arrive"
        view="slanted"
        count={11}
        className="absolute top-[68%] left-[66%] -z-10 w-[104rem] -translate-x-1/2 -translate-y-1/2"
      />
      <Ripples
        motion="arrive"
        view="slanted"
        tone="accent"
        count={2}
        className="absolute top-[68%] left-[66%] -z-10 w-44 -translate-x-1/2 -translate-y-1/2"
      />
      <p className="max-w-[9ch] px-[clamp(2.5rem,5vw,5rem)] pt-[16vh] font-heading text-display text-balance">
        What you send arrives whole.
      </p>
      <dl className="flex gap-14 px-[clamp(2.5rem,5vw,5rem)] pb-12">
        {FACTS.map(({ value, label }) => (
          <div key={label} className="flex flex-col-reverse gap-0.5">
            <dt className="text-sm text-ink-soft">{label}</dt>
            <dd className="tabular font-heading text-3xl">{value}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
