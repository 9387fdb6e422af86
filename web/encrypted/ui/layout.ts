import { t } from '@lingui/core/macro';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import {
  currentThemeChoice,
  followThemeChanges,
  nextThemeChoice,
  onThemeChange,
  setThemeChoice,
  type ThemeChoice,
} from '../../lib/browser/theme.ts';
import { iconButton } from './controls.ts';
import { type Child, classNames, h, replace, svg, swap } from './dom.ts';
import { type IconName, icon } from './icons.ts';

export type Frame = {
  main: HTMLElement;
  /** More links of the footer. */
  setFooter(...links: Child[]): void;
  /** Sticks to the lower edge of the window. */
  setBar(bar: Child): void;
};

/** Header and footer as on the download page. */
export function drawFrame(root: HTMLElement): Frame {
  const main = h('main', { id: 'main', tabindex: -1, class: 'flex grow flex-col outline-none' });
  const links = h('div', { class: 'flex flex-wrap gap-x-6 gap-y-1' });
  const bar = h('div', { class: 'contents' });
  const home = h(
    'a',
    { href: PAGES.landing, 'aria-label': t`Sendwell home`, class: 'rounded-full py-1 pr-2' },
    logo(),
  );
  replace(
    root,
    h(
      'div',
      { class: 'relative isolate flex min-h-dvh flex-col overflow-clip' },
      h('header', { class: 'frame flex min-h-18 items-center justify-between py-3' }, home, themeToggle()),
      main,
      h(
        'footer',
        {
          class:
            'frame flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-6 text-sm text-ink-faint',
        },
        h('p', {}, t`Encrypted end to end with Sendwell`),
        links,
      ),
      bar,
    ),
  );
  const ownFiles = () =>
    h('a', { href: PAGES.landing, class: 'link inline-block py-0.5' }, t`Send files of your own`);
  const setFooter = (...more: Child[]) => replace(links, ...more, ownFiles());
  setFooter();
  return { main, setFooter, setBar: (child) => replace(bar, child) };
}

function logo(): HTMLElement {
  const line = { stroke: 'currentColor', 'stroke-width': 2.1, 'stroke-linecap': 'round' };
  return h(
    'span',
    { class: 'inline-flex items-center gap-2.5 max-[23.5rem]:[&>span]:hidden' },
    svg(
      'svg',
      { viewBox: '0 0 32 32', fill: 'none', 'aria-hidden': 'true', class: 'size-7 shrink-0' },
      svg(
        'g',
        line,
        svg('path', {
          d: 'M9.6 15.3C5 16.5 2 18.8 2 21.5 2 25.6 8.3 29 16 29s14-3.4 14-7.5c0-2.7-3-5-7.6-6.2',
        }),
        svg('path', {
          d: 'M9.9 20.6c-.5.5-.8 1-.8 1.6 0 1.8 3.1 3.2 6.9 3.2s6.9-1.4 6.9-3.2c0-.6-.3-1.1-.8-1.6',
        }),
      ),
      svg('path', {
        class: 'fill-accent-ink',
        d: 'M16 2.4c3.1 4.6 5 8.3 5 11.5a5 5 0 0 1-10 0c0-3.2 1.9-6.9 5-11.5Z',
      }),
    ),
    h('span', { class: 'mt-0.5 font-heading text-xl' }, 'Sendwell'),
  );
}

const THEME_ICONS: Record<ThemeChoice, IconName> = { light: 'Sun', system: 'Monitor', dark: 'Moon' };

function themeToggle(): HTMLElement {
  const labels: Record<ThemeChoice, string> = {
    dark: t`Switch to light theme`,
    light: t`Switch to system theme`,
    system: t`Switch to dark theme`,
  };
  const toggle = iconButton('', 'Sun', () => setThemeChoice(nextThemeChoice(currentThemeChoice())));
  const draw = () => {
    const choice = currentThemeChoice();
    toggle.setAttribute('aria-label', labels[choice]);
    toggle.title = labels[choice];
    replace(toggle, icon(THEME_ICONS[nextThemeChoice(choice)]));
  };
  onThemeChange(draw);
  followThemeChanges();
  draw();
  return toggle;
}

type StageParts = { head: Child[]; well: Child; body?: Child; isDense?: boolean };

/** Text on the left, the well on the right: one layout for all states; see components/layout/stage.tsx. */
export function stage({ head, well, body, isDense = false }: StageParts): HTMLElement {
  return h(
    'div',
    {
      class: classNames(
        'frame grid grow content-start gap-x-20 pb-16 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr] lg:pt-10 lg:pb-24',
        isDense ? 'gap-y-6 pt-2 lg:gap-y-8' : 'gap-y-10 pt-6',
      ),
    },
    h(
      'div',
      {
        class: classNames('min-w-0 lg:row-start-1', isDense ? 'lg:pt-4' : 'max-lg:order-2 lg:pt-10'),
      },
      ...head,
    ),
    h(
      'div',
      {
        class: classNames(
          'min-w-0 self-start lg:sticky lg:top-6 lg:col-start-2 lg:row-span-2 lg:row-start-1',
          isDense ? 'max-lg:hidden' : 'max-lg:order-1',
        ),
      },
      h('div', { class: 'relative flex lg:h-68 lg:justify-center' }, well),
    ),
    body && h('div', { class: 'min-w-0 max-lg:order-3 lg:row-start-2' }, body),
  );
}

export function headline(title: string): HTMLElement {
  const size = title.length <= 32 ? 'text-display' : title.length <= 80 ? 'text-4xl' : 'text-3xl';
  return h('h1', { class: `max-w-[20em] wrap-anywhere ${size}` }, h('bdi', {}, title));
}

/**
 * Rings around a disc; see components/feedback/well.tsx. They appear once and then rest: on a computer without a graphics
 * card, drawing moving rings takes more of the processor than decrypting.
 */
export function well(disc: HTMLElement): HTMLElement {
  return h('div', { class: 'relative grid place-items-center' }, rings(), disc);
}

/** A new well would show the rings appear again. */
export function changeDisc(inWell: HTMLElement, disc: HTMLElement): void {
  swap(inWell.lastElementChild!, disc);
}

export const DISC = 'relative grid shrink-0 place-items-center self-center rounded-full';

export function stillDisc(sign: IconName): HTMLElement {
  return h(
    'div',
    {
      class: `${DISC} size-24 border border-line-firm bg-canvas text-ink-soft lg:size-52 [&>svg]:size-8 lg:[&>svg]:size-14`,
    },
    icon(sign, '', 1.25),
  );
}

const SIZE = 1000;
const RINGS = 9;

/** See components/layout/ripples.tsx. */
function rings(): SVGElement {
  const ring = (_: unknown, index: number) => {
    const reach = 0.07 + 0.93 * ((index + 1) / RINGS) ** 1.25;
    const radius = (SIZE / 2 - 1) * reach;
    return svg('ellipse', {
      cx: SIZE / 2,
      cy: SIZE / 2,
      rx: radius,
      ry: radius,
      stroke: 'currentColor',
      'stroke-opacity': 1 - 0.85 * reach ** 2,
      'vector-effect': 'non-scaling-stroke',
    });
  };
  return svg(
    'svg',
    {
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      fill: 'none',
      'aria-hidden': 'true',
      'data-motion': 'arrive',
      class:
        'ripples pointer-events-none absolute top-1/2 left-1/2 -z-10 size-[44rem] -translate-x-1/2 -translate-y-1/2 text-ring lg:size-[84rem]',
    },
    ...Array.from({ length: RINGS }, ring),
  );
}

/** Sticks to the lower edge of the window, within reach of the thumb. */
export function bottomBar(className: string, ...children: Child[]): HTMLElement {
  return h(
    'div',
    {
      class: classNames(
        'sticky bottom-0 z-10 border-t border-line bg-canvas/90 pb-[env(safe-area-inset-bottom)] backdrop-blur-md',
        className,
      ),
    },
    h('div', { class: 'frame flex items-center gap-4 py-3' }, ...children),
  );
}
