import assert from 'node:assert/strict';
import type { Messages } from '@lingui/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { onTestFinished, test } from 'vitest';
import { setFormatLanguage } from '../../../contracts/values/format.ts';
import { messages as english } from '../../features/landing/locales/en.po';
import { activateLanguage, i18n } from './messages.tsx';

/** German, as it were: every text of the landing page in brackets. */
const CATALOGUES = {
  '../../features/landing/locales/de.po': async () =>
    Object.fromEntries(
      Object.entries(english).map(([id, message]) => [id, ['⟦', ...[message].flat(), '⟧']]),
    ) as Messages,
};

/** The language is module state, which other test files of the process share. */
function returnToEnglish(): void {
  i18n.activate('en');
  setFormatLanguage('en');
}

test('the pages are English if there is no catalogue for a language of the browser', async () => {
  await activateLanguage(['fr-CH', 'it'], CATALOGUES);
  assert.equal(i18n.locale, 'en');
});

test('texts come from the catalogue of the first language that has one, also in constants', async () => {
  onTestFinished(returnToEnglish);
  await activateLanguage(['fr', 'de-AT', 'en'], CATALOGUES);
  // Its module has texts in constants, so it must not run before.
  const { Features } = await import('../../features/landing/features.tsx');
  const markup = renderToStaticMarkup(createElement(Features));
  assert.match(markup, /⟦Everything You Need⟧/);
  assert.match(markup, /⟦Secure Sharing⟧/);
  assert.match(markup, /⟦<strong[^>]*>And a REST API\.<\/strong>/);
  assert.doesNotMatch(markup, />(Everything You Need|Secure Sharing)</);
});

test('a text that the catalogue lacks is English', async () => {
  onTestFinished(returnToEnglish);
  await activateLanguage(['de'], { 'locales/de.po': async (): Promise<Messages> => ({}) });
  const { Steps } = await import('../../features/landing/steps.tsx');
  assert.match(renderToStaticMarkup(createElement(Steps)), /How It Works/);
});
