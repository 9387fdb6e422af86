import type { Appearance } from '@stripe/stripe-js';
import type { Theme } from '../lib/browser/theme.ts';

/** Our look for Stripe's frames, which cannot read our tokens; text is the system's, our font stays with us. */
export function describeAppearance(theme: Theme): Appearance {
  const styles = getComputedStyle(document.documentElement);
  const token = (name: string) => styles.getPropertyValue(name).trim();
  return {
    theme: theme === 'dark' ? 'night' : 'stripe',
    variables: {
      colorPrimary: token('--accent-ink'),
      colorBackground: token('--surface'),
      colorText: token('--ink'),
      colorTextSecondary: token('--ink-soft'),
      colorTextPlaceholder: token('--ink-faint'),
      colorDanger: token('--danger-ink'),
      fontFamily: 'system-ui, sans-serif',
      fontSizeBase: '16px',
      borderRadius: '14px',
      spacingUnit: '4px',
    },
    rules: {
      '.Input': { border: `1px solid ${token('--edge')}`, boxShadow: 'none' },
      '.Input:focus': {
        border: `1px solid ${token('--accent-ink')}`,
        boxShadow: `0 0 0 1px ${token('--accent-ink')}`,
      },
      '.Input--invalid': { border: `1px solid ${token('--danger-ink')}`, boxShadow: 'none' },
      '.Label': { fontWeight: '500', color: token('--ink') },
    },
  };
}
