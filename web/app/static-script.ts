/**
 * The only script of the prerendered pages, which also work without it. It activates the theme toggle and the drop area,
 * links signed-in users to their dashboard and updates the plans' numbers. It must not load Lingui, which is several times its size.
 */
import type { TierConfig } from '../../contracts/plans/tiers.ts';
import { activateDropArea } from '../features/landing/drop-script.ts';
import {
  currentThemeChoice,
  followThemeChanges,
  nextThemeChoice,
  onThemeChange,
  setThemeChoice,
} from '../lib/browser/theme.ts';
import { formatTierNumber, type TierNumberName } from '../lib/values/tier-numbers.ts';

activateThemeToggle();
activateDropArea(showSession());
void fillTierNumbers();

function activateThemeToggle(): void {
  const toggle = document.querySelector<HTMLButtonElement>('[data-theme-toggle]');
  if (!toggle) return;
  // The prerendered header contains every label, so that this script needs no messages.
  const nameToggle = () => {
    const label = toggle.getAttribute(`data-label-${currentThemeChoice()}`);
    toggle.setAttribute('aria-label', label ?? '');
  };
  toggle.addEventListener('click', () => setThemeChoice(nextThemeChoice(currentThemeChoice())));
  onThemeChange(nameToggle);
  followThemeChanges();
  nameToggle();
}

/** Nobody is signed in if the server answers 401 or is unreachable. */
async function showSession(): Promise<boolean> {
  const isSignedIn = (await ask('/api/user')) !== undefined;
  if (isSignedIn) document.documentElement.dataset.session = 'in';
  return isSignedIn;
}

async function fillTierNumbers(): Promise<void> {
  const places = document.querySelectorAll<HTMLElement>('[data-tier-number]');
  if (places.length === 0) return;
  const config = await ask<TierConfig>('/api/tier-config');
  if (config === undefined) return;
  for (const place of places) {
    place.textContent = formatTierNumber(config, place.dataset.tierNumber as TierNumberName);
  }
}

/** undefined on failure: the page then keeps its prerendered content. */
async function ask<Answer>(path: string): Promise<Answer | undefined> {
  const options = { headers: { accept: 'application/json' } };
  const response = await fetch(path, options).catch(() => undefined);
  // Always read the body: an unread response keeps its connection open.
  const text = await response?.text().catch(() => undefined);
  return response?.ok && text ? (JSON.parse(text) as Answer) : undefined;
}
