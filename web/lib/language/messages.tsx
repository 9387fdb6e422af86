import { catalogues } from 'virtual:catalogues';
import { type Messages, setupI18n } from '@lingui/core';
import { TransNoContext, type TransProps } from '@lingui/react/server';
import { setFormatLanguage } from '../../../contracts/values/format.ts';
import { chosenLanguage, followedLanguage } from './language.ts';

/** The language of the sources. Its messages are compiled into the code, so it needs no catalogue at run time. */
const SOURCE_LANGUAGE = 'en';

/** By path: `features/uploads/locales/de.po`. */
type Catalogues = Record<string, () => Promise<Messages>>;

declare global {
  /** Set while the build renders the static pages of one language. */
  var prerenderedLanguage: string | undefined;
}

/**
 * What the macros `t`, `plural` and `Trans` compile to. `activateOwnLanguage` is called before any module with texts is
 * loaded, and the language stays until the page is reloaded, so module constants may contain texts.
 */
export const i18n = setupI18n({ locale: SOURCE_LANGUAGE, messages: { [SOURCE_LANGUAGE]: {} } });

/** Reads finished sentences for translation. Undefined on English pages, which don't need it. */
export let sentences: typeof import('../../../contracts/values/language/sentences.ts') | undefined;

/**
 * Activates the language of this device; English if its messages can't be loaded. Not awaited at the top of a module:
 * WebKit then runs modules that are imported at the same time before those they need (bugs.webkit.org/242740).
 */
export async function activateOwnLanguage(): Promise<void> {
  await activateLanguage(listWanted(), catalogues).catch(() => undefined);
}

function listWanted(): readonly string[] {
  if (globalThis.prerenderedLanguage) return [globalThis.prerenderedLanguage];
  const chosen = chosenLanguage() ?? followedLanguage();
  return chosen ? [chosen] : (globalThis.navigator?.languages ?? []);
}

/** Loads the catalogues of the first wanted language that has any. Messages that they lack stay English. */
export async function activateLanguage(wanted: readonly string[], catalogues: Catalogues): Promise<void> {
  const available = new Set([SOURCE_LANGUAGE, ...Object.keys(catalogues).map(languageOf)]);
  const language = wanted.map((tag) => tag.split('-')[0]!).find((each) => available.has(each));
  if (language === undefined || language === SOURCE_LANGUAGE) return;
  const [messages, reader] = await Promise.all([
    loadMessages(language, catalogues),
    import('../../../contracts/values/language/sentences.ts'),
  ]);
  setFormatLanguage(language);
  sentences = reader;
  i18n.loadAndActivate({ locale: language, messages });
  if (globalThis.document) document.documentElement.lang = language;
}

/** Adds catalogues to those of the current language, before the modules with their texts run. */
export async function addCatalogues(catalogues: Catalogues): Promise<void> {
  i18n.load(i18n.locale, await loadMessages(i18n.locale, catalogues));
}

async function loadMessages(language: string, catalogues: Catalogues): Promise<Messages> {
  const loaders = Object.entries(catalogues).filter(([path]) => languageOf(path) === language);
  const loaded = await Promise.all(loaders.map(([, load]) => load()));
  return Object.assign({}, ...loaded) as Messages;
}

function languageOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, -'.po'.length);
}

/** A sentence with elements in it. The macro of the same name compiles to this. */
export function Trans(props: TransProps) {
  return <TransNoContext {...props} lingui={{ i18n }} />;
}
