import type { ReactNode } from 'react';

type SettingsSectionProps = {
  /** The fragment of its address. */
  id: string;
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
};

export function SettingsSection({ id, title, description, action, children }: SettingsSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="border-line not-first:mt-rhythm not-first:border-t not-first:pt-rhythm"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        {/* Focusable: see `focusSection`. */}
        <h2 id={`${id}-title`} tabIndex={-1} className="text-2xl outline-none">
          {title}
        </h2>
        {action}
      </div>
      {description && <p className="mt-2 max-w-[36rem] text-ink-soft">{description}</p>}
      <div className="mt-7">{children}</div>
    </section>
  );
}

export function focusSection(id: string): void {
  document.getElementById(`${id}-title`)?.focus();
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="mt-0.5 text-lg">{children}</dd>
    </div>
  );
}
