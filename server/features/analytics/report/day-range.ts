import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { dayOf } from '../../../platform/lib/clock.ts';

/** `YYYY-MM-DD`, both inclusive. */
export type Days = { from: string; to: string };

export function listDays({ from, to }: Days): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); days.at(-1) !== to; at += DAY_MS) days.push(dayOf(at));
  return days;
}

export function splitByMonth(range: Days): { months: string[]; rest: string[] } {
  const months: string[] = [];
  const rest: string[] = [];
  for (const [month, days] of Map.groupBy(listDays(range), (day) => day.slice(0, 7))) {
    const isWhole = days[0]!.endsWith('-01') && monthOfNextDay(days.at(-1)!) !== month;
    if (isWhole) months.push(month);
    else rest.push(...days);
  }
  return { months, rest };
}

function monthOfNextDay(day: string): string {
  return dayOf(Date.parse(day) + DAY_MS).slice(0, 7);
}
