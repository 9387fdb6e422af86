import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const reload = vi.fn();
const stored = new Map<string, string>();
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
};

beforeEach(() => {
  vi.resetModules();
  reload.mockReset();
  stored.clear();
  vi.stubGlobal('localStorage', storage);
  vi.stubGlobal('document', { cookie: '' });
  vi.stubGlobal('window', { location: { reload, protocol: 'https:' } });
  vi.stubGlobal('navigator', { languages: ['pl', 'en-US'] });
});
afterEach(() => vi.unstubAllGlobals());

/** As a page that is loaded anew. */
const loadPage = () => import('./language.ts');

test('a device follows the language of the account with one reload', async () => {
  const first = await loadPage();
  first.followAccountLanguage('de');
  expect(reload).toHaveBeenCalledTimes(1);
  expect(first.followedLanguage()).toBe('de');
  vi.resetModules();
  const second = await loadPage();
  second.followAccountLanguage('de');
  expect(reload).toHaveBeenCalledTimes(1);
  vi.resetModules();
  const third = await loadPage();
  third.followAccountLanguage('en');
  expect(reload).toHaveBeenCalledTimes(2);
  expect(third.followedLanguage()).toBeUndefined();
});

test('a page follows at most once, so a later change reloads nothing', async () => {
  const page = await loadPage();
  page.followAccountLanguage('en');
  page.followAccountLanguage('de');
  expect(reload).not.toHaveBeenCalled();
});

test('a language chosen on the device stays', async () => {
  const page = await loadPage();
  page.chooseLanguage('fr');
  expect(reload).toHaveBeenCalledTimes(1);
  page.followAccountLanguage('de');
  expect(reload).toHaveBeenCalledTimes(1);
  expect([page.chosenLanguage(), page.followedLanguage()]).toEqual(['fr', undefined]);
});

test('without storage the page is not reloaded', async () => {
  vi.stubGlobal('localStorage', {
    ...storage,
    setItem() {
      throw new Error('disabled');
    },
  });
  (await loadPage()).followAccountLanguage('de');
  expect(reload).not.toHaveBeenCalled();
});
