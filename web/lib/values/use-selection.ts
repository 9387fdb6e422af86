import { useCallback, useMemo, useState } from 'react';

export type Selection<Row> = {
  chosen: Row[];
  has: (row: Row) => boolean;
  choose: (rows: Row[], isChosen: boolean) => void;
  remove: (ids: ReadonlySet<string>) => void;
  clear: () => void;
};

/** Selected rows, kept across pages and searches. Its functions stay the same between renders, except `has`. */
export function useSelection<Row extends { id: string }>(): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const choose = useCallback(
    (rows: Row[], isChosen: boolean) =>
      setChosen((before) => {
        const next = new Map(before);
        for (const row of rows) {
          if (isChosen) next.set(row.id, row);
          else next.delete(row.id);
        }
        return next;
      }),
    [],
  );
  const remove = useCallback(
    (ids: ReadonlySet<string>) => setChosen((before) => new Map([...before].filter(([id]) => !ids.has(id)))),
    [],
  );
  const clear = useCallback(() => setChosen(new Map()), []);
  return {
    chosen: useMemo(() => [...chosen.values()], [chosen]),
    has: ({ id }) => chosen.has(id),
    choose,
    remove,
    clear,
  };
}
