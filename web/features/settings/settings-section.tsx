import type { ReactNode } from 'react';
import { SECTIONS, type SectionId } from './sections.ts';

type SettingsSectionProps = {
  id: SectionId;
  description?: ReactNode;
  /** At the end of the title's line. */
  action?: ReactNode;
  children: ReactNode;
};

/** One part of the page, set off by space and a hairline. */
export function SettingsSection({ id, description, action, children }: SettingsSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="border-line not-first:mt-rhythm not-first:border-t not-first:pt-rhythm"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        {/* Takes the focus when the control that had it is gone. */}
        <h2 id={`${id}-title`} tabIndex={-1} className="text-2xl outline-none">
          {SECTIONS.find((section) => section.id === id)?.label}
        </h2>
        {action}
      </div>
      {description && <p className="mt-2 max-w-[36rem] text-ink-soft">{description}</p>}
      <div className="mt-7">{children}</div>
    </section>
  );
}

export function focusSection(id: SectionId): void {
  document.getElementById(`${id}-title`)?.focus();
}
