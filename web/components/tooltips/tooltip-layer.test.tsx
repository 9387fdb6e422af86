import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tooltip } from './tooltip.ts';
import { TooltipLayer } from './tooltip-layer.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function renderButton() {
  const onKeyDown = vi.fn();
  document.addEventListener('keydown', onKeyDown);
  const { container } = render(
    <>
      <button type="button" {...tooltip('Send it')}>
        Send
      </button>
      <TooltipLayer />
    </>,
  );
  return { button: screen.getByRole('button'), elsewhere: container, onKeyDown };
}

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const find = () => screen.queryByRole('tooltip')?.textContent ?? null;

test('opens after a while of hovering, and stays while the pointer is on it', () => {
  const { button, elsewhere } = renderButton();
  fireEvent.pointerOver(button);
  pass(600);
  expect(find()).toBeNull();
  pass(200);
  expect(find()).toBe('Send it');
  fireEvent.pointerOver(elsewhere);
  pass(100);
  fireEvent.pointerOver(screen.getByRole('tooltip'));
  pass(5_000);
  expect(find()).toBe('Send it');
  fireEvent.pointerOver(elsewhere);
  pass(200);
  expect(find()).toBeNull();
});

test('opens at once for keyboard focus, and Escape closes nothing else', () => {
  const { button, onKeyDown } = renderButton();
  fireEvent.keyDown(document.body, { key: 'Tab' });
  act(() => button.focus());
  expect(find()).toBe('Send it');
  onKeyDown.mockClear();
  fireEvent.keyDown(button, { key: 'Escape' });
  expect(find()).toBeNull();
  expect(onKeyDown).not.toHaveBeenCalled();
  fireEvent.keyDown(button, { key: 'Escape' });
  expect(onKeyDown).toHaveBeenCalled();
});

test('closes on a press and on scrolling, and stays closed for touch and focus that returns', () => {
  const { button } = renderButton();
  for (const close of [() => fireEvent.pointerDown(button), () => fireEvent.scroll(document)]) {
    fireEvent.pointerOver(button);
    pass(1_000);
    expect(find()).toBe('Send it');
    close();
    expect(find()).toBeNull();
    fireEvent.pointerOver(document.body);
    pass(1_000);
  }
  fireEvent.pointerOver(button, { pointerType: 'touch' });
  pass(1_000);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  act(() => button.focus());
  expect(find()).toBeNull();
});
