import { render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { expect, test } from 'vitest';
import { lazyComponent } from './lazy-page.ts';

const Greeting = ({ name }: { name: string }) => <p>Hello {name}</p>;

function renderIn(Component: ReturnType<typeof lazyComponent<{ name: string }>>) {
  return render(
    <Suspense fallback={<p>Loading</p>}>
      <Component name="Ann" />
    </Suspense>,
  );
}

test('code that is loaded already is rendered at once, without the fallback', async () => {
  const Lazy = lazyComponent(async () => Greeting);
  await Lazy.preload();
  renderIn(Lazy);
  expect(screen.getByText('Hello Ann')).toBeTruthy();
});

test('other code is loaded when it is rendered', async () => {
  const Lazy = lazyComponent(async () => Greeting);
  renderIn(Lazy);
  expect(screen.getByText('Loading')).toBeTruthy();
  await screen.findByText('Hello Ann');
});

test('code that could not be loaded is loaded by the next attempt', async () => {
  let attempts = 0;
  const Lazy = lazyComponent(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('offline');
    return Greeting;
  });
  await expect(Lazy.preload()).rejects.toThrow('offline');
  renderIn(Lazy);
  await screen.findByText('Hello Ann');
});
