import type { CSSProperties, ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import type { TreeRow } from '../../lib/values/file-tree.ts';

export type RowsProps<Value> = {
  label: string;
  rows: TreeRow<Value>[];
  renderNode: (row: TreeRow<Value>) => ReactNode;
  className?: string | undefined;
};

/** Indentation per level. */
export const STEP = '[--step:0.75rem] sm:[--step:1.25rem]';

/** The rows of a `FileTree`, all of them. */
export function PlainRows<Value>({ label, rows, renderNode, className }: RowsProps<Value>) {
  return (
    <ul aria-label={label} className={classNames('divide-y divide-line', STEP, className)}>
      {rows.map((row) => (
        <li key={row.node.key} style={indentation(row.depth)}>
          {renderNode(row)}
        </li>
      ))}
    </ul>
  );
}

/** Deep levels are not indented further, so that names fit on phones. */
export function indentation(depth: number): CSSProperties {
  return { paddingInlineStart: `calc(${Math.min(depth, 6)} * var(--step))` };
}
