import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What a person sees of an element: its role and name, its label, or its text. */
export type Target =
  | { role: string; name?: string | RegExp }
  | { label: string }
  | { text: string | RegExp }
  | { testId: string };

/** Testing Library finds elements by role and label in any browser. */
const LIBRARY = createRequire(import.meta.url).resolve(
  '@testing-library/dom/dist/@testing-library/dom.umd.min.js',
);

/** Defines `TestingLibraryDom` in a page. */
export const LOCATOR_LIBRARY = readFileSync(LIBRARY, 'utf8');

/** A JavaScript expression for the visible element, or null. Throws if there are several. */
export function locate(target: Target): string {
  const find = 'TestingLibraryDom.queryBy';
  if ('testId' in target) return `${find}TestId(document.body, ${quote(target.testId)})`;
  if ('label' in target) return `${find}LabelText(document.body, ${quote(target.label)})`;
  if ('text' in target) return `${find}Text(document.body, ${quote(target.text)})`;
  const options = target.name === undefined ? '{}' : `{ name: ${quote(target.name)} }`;
  return `${find}Role(document.body, ${quote(target.role)}, ${options})`;
}

export function describeTarget(target: Target): string {
  return Object.values(target).map(String).join(' ');
}

function quote(text: string | RegExp): string {
  return text instanceof RegExp ? String(text) : JSON.stringify(text);
}
