import { t } from '@lingui/core/macro';
import { h } from '../ui/dom.ts';
import { icon } from '../ui/icons.ts';

/** The key was in the path of the link. */
export function exposedNotice(): HTMLElement {
  return h(
    'p',
    {
      role: 'status',
      class: 'mt-8 flex max-w-[34rem] gap-3 rounded-md border border-line-firm bg-surface px-5 py-4 text-sm',
    },
    icon('ShieldAlert', 'mt-0.5 size-5 shrink-0 text-danger-ink'),
    h(
      'span',
      {},
      t`Something on the way, such as a mail gateway, changed this link and has seen its key. We repaired it. For files that nobody else may see, ask the sender for a transfer with a password, told to you by another way.`,
    ),
  );
}
