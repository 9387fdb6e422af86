/** A cell that begins like this is a formula to spreadsheets. */
const FORMULA = /^[=+\-@\t\r]/;

/** CSV as RFC 4180 has it: a header line, CRLF, quotes where needed. No cell is a formula to anybody. */
export function toCsv(header: string[], rows: (string | number)[][]): string {
  return [header, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
