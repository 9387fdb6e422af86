import type { Analytics } from '../../contracts/analytics.ts';
import { dayOf } from '../../server/platform/lib/clock.ts';

/** An event, recorded by the test independently of the server. */
export type Note = {
  id: string;
  transferId: string;
  kind: 'view' | 'download';
  at: number;
  country: string;
  device: string;
  referer: string | null;
  fileIds: string[];
  completed: boolean;
};

type Sums = { views: number; downloads: number };

/** The counts of a report by name, sorted and without zeros. */
export function simplify({ totals: { views, downloads, completed }, ...report }: Analytics) {
  const list = <Row extends Sums>(rows: Row[], nameOf: (row: Row) => string) =>
    rows.filter((row) => row.views + row.downloads > 0).map((row) => describe(nameOf(row), row));
  return {
    totals: { views, downloads, completed },
    days: list(report.days, ({ date }) => date).toSorted(),
    countries: list(report.countries, ({ country }) => country).toSorted(),
    devices: list(report.devices, ({ device }) => device).toSorted(),
    referers: report.referers.map(({ referer, views }) => `${referer}: ${views}`).toSorted(),
  };
}

export function expectCounts(notes: Note[]): ReturnType<typeof simplify> {
  const by = (nameOf: (note: Note) => string) =>
    [...Map.groupBy(notes, nameOf)].map(([name, group]) => describe(name, sum(group))).toSorted();
  const views = notes.filter(({ kind }) => kind === 'view');
  return {
    totals: { ...sum(notes), completed: notes.filter(({ completed }) => completed).length },
    days: by(({ at }) => dayOf(at)),
    countries: by(({ country }) => country),
    devices: by(({ device }) => device),
    referers: [...Map.groupBy(views, ({ referer }) => referer ?? '')]
      .map(([referer, group]) => `${referer}: ${group.length}`)
      .toSorted(),
  };
}

export function sum(notes: Note[]): Sums {
  const views = notes.filter(({ kind }) => kind === 'view').length;
  return { views, downloads: notes.length - views };
}

export function describe(name: string, { views, downloads }: Sums): string {
  return `${name}: ${views} views, ${downloads} downloads`;
}
