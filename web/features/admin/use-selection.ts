import { useState } from 'react';

export type Selection<Row> = {
  chosen: Row[];
  has: (row: Row) => boolean;
  choose: (rows: Row[], isChosen: boolean) => void;
  forget: (ids: ReadonlySet<string>) => void;
  clear: () => void;
};

/** Rows that were chosen, kept while other pages and other searches are looked at. */
export function useSelection<Row extends { id: string }>(): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  return {
    chosen: [...chosen.values()],
    has: ({ id }) => chosen.has(id),
    choose: (rows, isChosen) =>
      setChosen((before) => {
        const next = new Map(before);
        for (const row of rows) {
          if (isChosen) next.set(row.id, row);
          else next.delete(row.id);
        }
        return next;
      }),
    forget: (ids) => setChosen((before) => new Map([...before].filter(([id]) => !ids.has(id)))),
    clear: () => setChosen(new Map()),
  };
}
