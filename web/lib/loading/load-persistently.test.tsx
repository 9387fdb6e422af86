import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadPersistently, runWhenLoaded } from './load-persistently.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Loads after as many failures. */
function failing(times: number) {
  let attempts = 0;
  return vi.fn(async () => {
    attempts += 1;
    if (attempts <= times) throw new Error(`attempt ${attempts} failed`);
    return 'module';
  });
}

test('code is loaded again after a failure', async () => {
  const loading = loadPersistently(failing(2));
  await vi.runAllTimersAsync();
  expect(await loading).toBe('module');
});

test('code that is gone fails after a few attempts', async () => {
  const loading = loadPersistently(failing(100));
  const failure = expect(loading).rejects.toThrow('attempt 4 failed');
  await vi.runAllTimersAsync();
  await failure;
});

test('code that the page can do without runs once it is there, and fails silently', async () => {
  const run = vi.fn();
  runWhenLoaded(failing(2), run);
  runWhenLoaded(failing(100), run);
  await vi.runAllTimersAsync();
  expect(run.mock.calls).toEqual([['module']]);
});

test('nothing is tried while the browser is offline', async () => {
  const load = failing(1);
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const loading = loadPersistently(load);
  await vi.runAllTimersAsync();
  expect(load).toHaveBeenCalledTimes(1);
  onLine.mockReturnValue(true);
  window.dispatchEvent(new Event('online'));
  await vi.runAllTimersAsync();
  expect(await loading).toBe('module');
});
