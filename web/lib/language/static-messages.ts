import type { Messages } from '@lingui/core';
import { activateOwnLanguage, addCatalogues } from './messages.tsx';

// For the build, which imports this before the static pages and waits for it.
await activateOwnLanguage();
await addCatalogues(
  import.meta.glob<Messages>(['../../features/{landing,legal}/locales/*.po', '!../../**/locales/en.po'], {
    import: 'messages',
  }),
);
