import type { Analytics } from '../../contracts/analytics.ts';
import { dayOf } from '../../server/platform/lib/clock.ts';

/** An event, kept apart from the product’s own records. */
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

/** What is told, without the order and without what has no number. */
export function simplify({ totals: { views, downloads, completed }, ...told }: Analytics) {
  const list = <Row extends Sums>(rows: Row[], nameOf: (row: Row) => string) =>
    rows.filter((row) => row.views + row.downloads > 0).map((row) => describe(nameOf(row), row));
  return {
    totals: { views, downloads, completed },
    days: list(told.days, ({ date }) => date).toSorted(),
    countries: list(told.countries, ({ country }) => country).toSorted(),
    devices: list(told.devices, ({ device }) => device).toSorted(),
    referers: told.referers.map(({ referer, views }) => `${referer}: ${views}`).toSorted(),
  };
}

export function expectCounts(notes: Note[]): ReturnType<typeof simplify> {
  const by = (nameOf: (note: Note) => string) =>
    [...Map.groupBy(notes, nameOf)].map(([name, its]) => describe(name, sum(its))).toSorted();
  const views = notes.filter(({ kind }) => kind === 'view');
  return {
    totals: { ...sum(notes), completed: notes.filter(({ completed }) => completed).length },
    days: by(({ at }) => dayOf(at)),
    countries: by(({ country }) => country),
    devices: by(({ device }) => device),
    referers: [...Map.groupBy(views, ({ referer }) => referer ?? '')]
      .map(([referer, its]) => `${referer}: ${its.length}`)
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
