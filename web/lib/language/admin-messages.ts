import type { Messages } from '@lingui/core';
import { addCatalogues } from './messages.tsx';

let added: Promise<void> | undefined;

/** Adds the messages of the admin area, which few people need. Call it before any of its modules is loaded. */
export function addAdminMessages(): Promise<void> {
  added ??= addCatalogues(
    import.meta.glob<Messages>(
      [
        '../../features/admin/locales/*.po',
        '../../../contracts/admin/locales/*.po',
        '!../../../**/locales/en.po',
      ],
      { import: 'messages' },
    ),
  );
  return added;
}
