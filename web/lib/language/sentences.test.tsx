import type { Messages } from '@lingui/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { login } from '../../../contracts/accounts/accounts.ts';
import { errorMessage } from '../../../contracts/errors.ts';
import { setFormatLanguage } from '../../../contracts/values/format.ts';
import { cutOnce, expectToast, fill, renderPage, screen } from '../../testing/render-page.tsx';
import { activateLanguage, i18n } from './messages.tsx';
import { translateSentence } from './sentences.ts';

/** Only the sentences of checks, so that the pages' own texts are the English ones that tests look for. */
const CATALOGUES = import.meta.glob<Messages>('../../../contracts/locales/de.po', { import: 'messages' });

beforeEach(async () => {
  await activateLanguage(['de'], CATALOGUES);
  globalThis.pageWindow!.addCookie('language', 'de');
});

/** The language is module state, which other test files of the process share. */
afterEach(() => {
  i18n.activate('en');
  setFormatLanguage('en');
});

test('a form shows the sentences of its checks in the language of the page', async () => {
  const user = renderPage('/auth');
  await screen.findByText('Sign in to your account to continue');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await screen.findByText('Bitte geben Sie einen Benutzernamen ein');
  screen.getByText('Bitte geben Sie ein Passwort ein');
  expect(screen.queryByText('Username is required')).toBeNull();
});

test('the server answers in the language of the page', async () => {
  const user = renderPage('/auth');
  await fill(user, await screen.findByLabelText('Username'), 'nobody');
  await fill(user, screen.getByLabelText('Password'), 'not the password');
  cutOnce(login);
  await user.keyboard('{Enter}');
  await expectToast('Login failed');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await expectToast('Login failed', '401: Benutzername oder Passwort ist falsch.');
});

test('rules that pages check themselves are translated with their values', () => {
  expect(translateSentence(errorMessage('image_too_large', { size: '1,5 MB' }))).toBe(
    'Bitte wählen Sie ein Bild mit höchstens 1,5 MB.',
  );
  expect(translateSentence('Please use at most 1.000 characters.')).toBe(
    'Bitte verwenden Sie höchstens 1.000 Zeichen.',
  );
  expect(translateSentence('Unbekannt')).toBe('Unbekannt');
});
