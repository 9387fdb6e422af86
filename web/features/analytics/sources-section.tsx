import type { Analytics } from '../../../contracts/analytics.ts';
import { Ranking } from './ranking.tsx';
import { Section } from './section.tsx';
import { nameOfDevice, nameOfReferer } from './wording.ts';

/** The pages that led here. They are told, not linked: anybody can make one up. */
export function ReferersSection({ referers }: { referers: Analytics['referers'] }) {
  const rows = referers.map(({ referer, views }) => ({
    key: referer,
    label: <span className="truncate">{nameOfReferer(referer)}</span>,
    counts: [views],
    measure: views,
  }));
  return (
    <Section title="Referers">
      <Ranking columns={['Page', 'Views']} rows={rows} />
    </Section>
  );
}

export function DevicesSection({ devices }: { devices: Analytics['devices'] }) {
  const rows = devices.map(({ device, views, downloads }) => ({
    key: device,
    label: nameOfDevice(device),
    counts: [views, downloads],
    measure: views,
  }));
  return (
    <Section title="Devices">
      <Ranking columns={['Device', 'Views', 'Downloads']} rows={rows} />
    </Section>
  );
}
