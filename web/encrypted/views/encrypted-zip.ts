import { t } from '@lingui/core/macro';
import { zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { encryptedLink } from '../../../encryption/link.ts';
import { buttonClasses } from '../../components/actions/button-style.ts';
import type { ShareLink } from '../loading/share-link.ts';
import { copyText, iconButton } from '../ui/controls.ts';
import { h, replace } from '../ui/dom.ts';
import { icon } from '../ui/icons.ts';

type KnownLink = ShareLink & { linkSecret: Uint8Array };

/** For browsers without room, and for people who decrypt with the command line. */
export function encryptedZip({ token, recipientToken, linkSecret }: KnownLink): HTMLElement {
  const link = encryptedLink(window.location.origin, token, linkSecret, recipientToken);
  const command = `sendwell open FILE.zip --link '${link}'`;
  const outcome = h('p', { role: 'status', class: 'empty:hidden' });
  const copy = iconButton(
    t`Copy command`,
    'Copy',
    () => copyText(command, (text) => replace(outcome, text)),
    { size: 'sm' },
  );
  return h(
    'div',
    { class: 'flex w-full flex-col items-start gap-3 text-sm text-ink-soft' },
    h('p', {}, t`Save the encrypted zip now, and open it with this command:`),
    h(
      'a',
      {
        href: zipDownloadPath(token, recipientToken),
        download: '',
        class: buttonClasses('secondary', 'sm'),
      },
      icon('ArrowDown'),
      t`Save encrypted zip`,
    ),
    h(
      'div',
      { class: 'flex w-full items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-4' },
      h(
        'pre',
        {
          tabindex: 0,
          class:
            'min-w-0 grow overflow-x-auto rounded-xs py-2 font-mono text-xs leading-relaxed text-ink-soft',
        },
        command,
      ),
      copy,
    ),
    outcome,
  );
}
