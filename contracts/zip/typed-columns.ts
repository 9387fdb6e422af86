/** Returns the column, or a longer copy if it has no room for `index`. Append rows in order. */
export function withRoom<
  Column extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
>(column: Column, index: number): Column {
  if (index < column.length) return column;
  const larger = new (column.constructor as new (length: number) => Column)(column.length * 2);
  larger.set(column);
  return larger;
}
