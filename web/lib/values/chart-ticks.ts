const MOST_TICKS = 4;

/** Round whole numbers from 0 to the highest count or slightly above it. */
export function listTicks(highest: number, mostTicks = MOST_TICKS): number[] {
  const roughly = Math.max(1, highest / mostTicks);
  const magnitude = 10 ** Math.floor(Math.log10(roughly));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((each) => each >= roughly)!;
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count + 1 }, (_none, index) => index * step);
}
