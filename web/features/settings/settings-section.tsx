import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { type TierName, tierIncludes } from '../../../contracts/plans/tiers.ts';

type SettingsSectionProps = {
  id: SectionId;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
};

export function SettingsSection({ id, description, action, children }: SettingsSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="border-line not-first:mt-rhythm not-first:border-t not-first:pt-rhythm"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        {/* Focusable: see `focusSection`. */}
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

/** The sections in order. Mails link to the ids as fragments of the page's address. */
export const SECTIONS = [
  { id: 'profile', label: t`Profile` },
  { id: 'password', label: t`Password` },
  { id: 'plan', label: t`Plan` },
  { id: 'usage', label: t`Usage` },
  { id: 'background', label: t`Download background` },
  { id: 'notifications', label: t`Notifications` },
  { id: 'api-keys', label: t`API keys` },
  { id: 'webhooks', label: t`Webhooks` },
  { id: 'device', label: t`This device` },
  { id: 'sessions', label: t`Sessions` },
  { id: 'delete-account', label: t`Delete account` },
] as const;

export function sectionsOf(tier: TierName): readonly (typeof SECTIONS)[number][] {
  return SECTIONS.filter(({ id }) => id !== 'background' || tierIncludes(tier, 'background'));
}

export type SectionId = (typeof SECTIONS)[number]['id'];

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="mt-0.5 text-lg">{children}</dd>
    </div>
  );
}
