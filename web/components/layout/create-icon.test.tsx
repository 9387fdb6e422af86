import { BellRing } from 'lucide-react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import createIcon from './create-icon.ts';

const DATA = {
  node: [
    ['path', { d: 'M10.268 21a2 2 0 0 0 3.464 0', key: 'vwvbt9' }],
    ['path', { d: 'M22 8c0-2.3-.8-4.3-2-6', key: '5bb3ad' }],
    [
      'path',
      {
        d: 'M3.262 15.326A1 1 0 0 0 4 17h16a1 1 0 0 0 .74-1.673C19.41 13.956 18 12.499 18 8A6 6 0 0 0 6 8c0 4.499-1.411 5.956-2.738 7.326',
        key: '11g9vi',
      },
    ],
    ['path', { d: 'M4 2C2.8 3.7 2 5.7 2 8', key: 'tap9e0' }],
  ],
} as const;

/** Without the library's class names, which nothing uses. */
function attributesOf(markup: string): string[] {
  return markup
    .replace(/lucide(-[a-z]+)* ?/g, '')
    .split(/ (?=[\w-]+=")|(?=>)/)
    .sort();
}

test('an icon is drawn as by lucide-react', () => {
  const Icon = createIcon(DATA);
  for (const props of [
    { className: 'size-4' },
    { 'aria-hidden': true, className: 'size-4', strokeWidth: 1.25 },
    { 'aria-label': 'Rings', className: 'size-4' },
  ])
    expect(attributesOf(renderToStaticMarkup(<Icon {...props} />))).toEqual(
      attributesOf(renderToStaticMarkup(<BellRing {...props} />)),
    );
});
