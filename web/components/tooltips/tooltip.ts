export type TooltipSide = 'top' | 'right' | 'bottom' | 'left';

/**
 * The attributes of an element with a tooltip: a short hint on hover and keyboard focus. Never the only place of a
 * piece of information. `TooltipLayer` shows it.
 */
export function tooltip(label: string, side: TooltipSide = 'top') {
  return { 'data-tooltip': label, 'data-tooltip-side': side };
}
