import { plural, t } from '@lingui/core/macro';
import { formatCount } from '../../../contracts/values/format.ts';
import type { OpenedTransfer } from '../loading/transfer.ts';
import { badge } from '../ui/controls.ts';
import { type Child, h } from '../ui/dom.ts';
import { icon } from '../ui/icons.ts';
import { formatDate, formatDistance, formatLongDateTime } from './view-texts.ts';

/** When the transfer expires, its message and its limits. */
export function transferFacts({ view, manifest, missingCount, revision }: OpenedTransfer): HTMLElement {
  const { createdAt, expiresAt, maxDownloads, downloadCount = 0, encryption } = view;
  const fact = (name: string, value: Child) =>
    h(
      'div',
      { class: 'flex items-baseline gap-2' },
      h('dt', { class: 'text-ink-faint' }, name),
      h('dd', { class: 'tabular font-medium' }, value),
    );
  const isNear = expiresAt ? Date.parse(expiresAt) - Date.now() < 24 * 60 * 60_000 : false;
  return h(
    'section',
    {
      'aria-labelledby': 'transfer-information',
      class: 'flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4 sm:gap-4 sm:p-5',
    },
    h(
      'div',
      { class: 'flex flex-wrap items-center gap-x-4 gap-y-2' },
      h('h2', { id: 'transfer-information', class: 'grow text-base' }, t`Transfer Information`),
      expiresAt &&
        badge(
          'Clock',
          isNear ? 'danger' : 'neutral',
          h(
            'time',
            { datetime: expiresAt, title: formatLongDateTime(expiresAt) },
            t`Expires ${formatDistance(expiresAt)}`,
          ),
        ),
      badge('LockKeyhole', 'accent', t`End-to-end encrypted`),
      encryption?.kdf.name !== 'none' && badge('KeyRound', 'outline', t`Password Protected`),
    ),
    manifest.message &&
      h(
        'figure',
        { class: 'border-l-2 border-accent-ink pl-4' },
        h('figcaption', { class: 'text-sm text-ink-faint' }, t`Message from sender`),
        h(
          'blockquote',
          { dir: 'auto', class: 'mt-1 max-w-[44rem] wrap-anywhere whitespace-pre-line' },
          manifest.message,
        ),
      ),
    h(
      'dl',
      { class: 'flex flex-wrap gap-x-6 gap-y-1 text-sm' },
      createdAt &&
        fact(
          t`Uploaded`,
          h('time', { datetime: createdAt, title: formatLongDateTime(createdAt) }, formatDate(createdAt)),
        ),
      typeof maxDownloads === 'number' &&
        fact(t`Download Limit`, `${formatCount(downloadCount)} / ${formatCount(maxDownloads)}`),
      fact(t`Total Downloads`, formatCount(downloadCount)),
      revision > 1 && fact(t`Version of the list`, formatCount(revision)),
    ),
    missingCount > 0 &&
      h(
        'p',
        { class: 'flex gap-2 text-sm text-danger-ink' },
        icon('ShieldAlert', 'mt-0.5 size-4 shrink-0'),
        plural(missingCount, {
          one: '# file of the sender’s list is not on the server.',
          other: '# files of the sender’s list are not on the server.',
        }),
      ),
  );
}
