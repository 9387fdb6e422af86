import { type Messages, setupI18n } from '@lingui/core';
import { TransNoContext, type TransProps } from '@lingui/react/server';

/** The language of the sources. Its messages are compiled into the code, so it needs no catalogue at run time. */
const SOURCE_LANGUAGE = 'en';

/** Catalogues of the other languages, one chunk per room. */
const CATALOGUES = import.meta.glob<Messages>(['../../**/locales/*.po', '!../../**/locales/en.po'], {
  import: 'messages',
});

/**
 * What the macros `t`, `plural` and `Trans` call. The language is chosen before any other module runs and stays until
 * the page is loaded again, so messages may be used anywhere, also in constants of a module.
 */
export const i18n = setupI18n({ locale: SOURCE_LANGUAGE, messages: { [SOURCE_LANGUAGE]: {} } });

const language = chooseLanguage();
if (language !== SOURCE_LANGUAGE) await activate(language);

/** The browser's first preferred language that has catalogues. */
function chooseLanguage(): string {
  const available = new Set(Object.keys(CATALOGUES).map(languageOf));
  const wanted = globalThis.navigator?.languages ?? [];
  return wanted.map((tag) => tag.split('-')[0]!).find((each) => available.has(each)) ?? SOURCE_LANGUAGE;
}

/** Messages missing from a catalogue stay English. */
async function activate(chosen: string): Promise<void> {
  const loaders = Object.entries(CATALOGUES).filter(([path]) => languageOf(path) === chosen);
  const catalogues = await Promise.all(loaders.map(([, load]) => load()));
  i18n.loadAndActivate({ locale: chosen, messages: Object.assign({}, ...catalogues) as Messages });
  document.documentElement.lang = chosen;
}

function languageOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, -'.po'.length);
}

/** The `Trans` macro compiles to this. */
export function Trans(props: TransProps) {
  return <TransNoContext {...props} lingui={{ i18n }} />;
}
