import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { useDeviceSwitch } from '../../../lib/browser/device-switch.ts';
import { Link } from '../../../lib/routing.tsx';
import { CONTROL_KEY, Key } from './key.tsx';

type Shortcut = { keys: string[]; label: string; isSingleKey?: boolean };

const GROUPS: { title: string; shortcuts: Shortcut[] }[] = [
  {
    title: t`Everywhere`,
    shortcuts: [
      { keys: [`${CONTROL_KEY} K`], label: t`Search or jump to a page` },
      { keys: [`${CONTROL_KEY} B`], label: t`Toggle sidebar` },
      { keys: ['N'], label: t`New upload`, isSingleKey: true },
      { keys: ['/'], label: t`Search the list on this page`, isSingleKey: true },
      { keys: ['?'], label: t`Keyboard shortcuts`, isSingleKey: true },
      { keys: ['F8'], label: t`Go to the message at the edge of the page` },
      { keys: ['Esc'], label: t`Close a dialog, or clear the search` },
    ],
  },
  {
    title: t`File preview`,
    shortcuts: [
      { keys: ['←', '→'], label: t`Previous or next file` },
      { keys: ['+', '−', '0'], label: t`Zoom in, zoom out, or fit` },
    ],
  },
];

export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const hasSingleKeys = useDeviceSwitch('single-key-shortcuts');
  return (
    <Dialog isOpen={isOpen} onOpenChange={onClose} title={t`Keyboard shortcuts`}>
      {GROUPS.map(({ title, shortcuts }) => (
        <section key={title} className="not-first:mt-6">
          <h3 className="text-sm text-ink-faint">{title}</h3>
          <dl className="mt-1 divide-y divide-line">
            {shortcuts.map(({ keys, label, isSingleKey }) => (
              <div key={label} className="flex items-center justify-between gap-6 py-2">
                <dt>{label}</dt>
                <dd className="flex shrink-0 gap-1.5">
                  {isSingleKey && !hasSingleKeys ? t`Off` : keys.map((each) => <Key key={each}>{each}</Key>)}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="mt-6 text-sm text-ink-soft">
        <Trans>
          Shortcuts of a single key can be turned off in{' '}
          <Link to={PAGES.settingsDevice} onClick={onClose} className="link">
            Settings
          </Link>
          .
        </Trans>
      </p>
    </Dialog>
  );
}
