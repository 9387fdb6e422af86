import type { ReactNode } from 'react';

export function Sign({ icon }: { icon: ReactNode }) {
  return (
    <span
      aria-hidden="true"
      className="mx-auto grid size-16 place-items-center text-accent-ink [&_svg]:size-14"
    >
      {icon}
    </span>
  );
}
