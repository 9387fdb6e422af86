import type { Page } from '@playwright/test';

type Way = { from: [number, number]; to: [number, number] };

/** Fingers on the glass, as the browser hears of them. */
export async function touchOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', places: [number, number][]) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: places.map(([x, y], id) => ({ x, y, id })),
    });
  return {
    /** All fingers go down, along their ways in a few steps, and up. */
    move: async (ways: Way[]) => {
      const steps = 5;
      await send(
        'touchStart',
        ways.map(({ from }) => from),
      );
      for (let step = 1; step <= steps; step += 1) {
        const at = ({ from, to }: Way, axis: 0 | 1) => from[axis] + ((to[axis] - from[axis]) * step) / steps;
        await send(
          'touchMove',
          ways.map((way) => [at(way, 0), at(way, 1)]),
        );
      }
      await send('touchEnd', []);
    },
  };
}
