import { fireEvent } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { ROUTES } from '../routes.tsx';
import { prefetchLinkedPages } from './prefetch-pages.ts';

let stop = () => {};
afterEach(() => {
  stop();
  vi.restoreAllMocks();
});

function watch(path: string) {
  const { Page } = ROUTES.find((route) => route.path === path)!;
  return vi.spyOn(Page as Required<typeof Page>, 'preload').mockResolvedValue(undefined);
}

function addLink(href: string): HTMLElement {
  document.body.innerHTML = `<a href="${href}"><span>Link</span></a>`;
  return document.querySelector('span')!;
}

test('hovering or focusing a link loads the code of its page', () => {
  const preload = watch(PAGES.transfer);
  stop = prefetchLinkedPages();
  fireEvent.pointerOver(addLink('/dashboard/transfer/x'));
  expect(preload).toHaveBeenCalledTimes(1);
  fireEvent.focusIn(addLink('/dashboard/transfer/y'));
  expect(preload).toHaveBeenCalledTimes(2);
  fireEvent.pointerOver(addLink('https://example.org/dashboard/transfer/x'));
  expect(preload).toHaveBeenCalledTimes(2);
});

test('nothing is loaded ahead for visitors who save data', () => {
  const preload = watch(PAGES.transfer);
  stop = prefetchLinkedPages();
  Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true });
  fireEvent.pointerOver(addLink('/dashboard/transfer/x'));
  Reflect.deleteProperty(navigator, 'connection');
  expect(preload).not.toHaveBeenCalled();
});
