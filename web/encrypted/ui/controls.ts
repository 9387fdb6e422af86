import { t } from '@lingui/core/macro';
import {
  type ButtonSize,
  type ButtonVariant,
  buttonClasses,
  iconButtonClasses,
} from '../../components/actions/button-style.ts';
import { CONTROL } from '../../components/form/control-style.ts';
import { type Child, classNames, h, newId, replace, svg } from './dom.ts';
import { type IconName, icon } from './icons.ts';

type ButtonOptions = {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: IconName;
  class?: string;
  onClick?: () => void;
};

export function button(
  label: string,
  { variant = 'primary', size = 'md', icon: sign, class: extra, onClick }: ButtonOptions = {},
): HTMLButtonElement {
  return h(
    'button',
    {
      type: onClick ? 'button' : 'submit',
      class: buttonClasses(variant, size, extra),
      on: { click: () => onClick?.() },
    },
    sign && icon(sign),
    label,
  );
}

export function iconButton(
  label: string,
  sign: IconName,
  onClick: (event: MouseEvent) => void,
  { size = 'md', class: extra = '' }: { size?: ButtonSize; class?: string } = {},
): HTMLButtonElement {
  return h(
    'button',
    {
      type: 'button',
      'aria-label': label,
      title: label,
      class: iconButtonClasses('ghost', size, extra),
      on: { click: onClick },
    },
    icon(sign),
  );
}

/** Shows a spinner and ignores clicks, but keeps the focus. Returns the function that ends it. */
export function setBusy(target: HTMLButtonElement, label: string): () => void {
  const before = [...target.childNodes];
  const ignore = (event: Event) => event.stopImmediatePropagation();
  target.setAttribute('aria-disabled', 'true');
  target.setAttribute('aria-busy', 'true');
  target.addEventListener('click', ignore, true);
  replace(target, spinner(), label);
  return () => {
    target.removeAttribute('aria-disabled');
    target.removeAttribute('aria-busy');
    target.removeEventListener('click', ignore, true);
    target.replaceChildren(...before);
  };
}

/** `say` gets a sentence on how it went. */
export function copyText(text: string, say: (outcome: string) => void): void {
  navigator.clipboard.writeText(text).then(
    () => say(t`Copied!`),
    () => say(t`Your browser blocked it. Please select the text and copy it manually.`),
  );
}

function spinner(className = ''): SVGElement {
  const circle = { cx: 12, cy: 12, r: 9, stroke: 'currentColor', 'stroke-width': 2.25 };
  const arc = { stroke: 'currentColor', 'stroke-width': 2.25, 'stroke-linecap': 'round' };
  return svg(
    'svg',
    {
      viewBox: '0 0 24 24',
      fill: 'none',
      'aria-hidden': 'true',
      width: '1em',
      height: '1em',
      class: className,
    },
    svg('circle', { ...circle, 'stroke-opacity': 0.25 }),
    svg('g', { class: 'origin-center animate-turn' }, svg('path', { d: 'M12 3a9 9 0 0 1 9 9', ...arc })),
  );
}

export type Field = {
  element: HTMLElement;
  control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  /** Null removes it. */
  setError(error: string | null): void;
};

type FieldOptions = { label: string; hint?: string; isOptional?: boolean };

export function textField({
  type = 'text',
  autocomplete = 'off',
  ...options
}: FieldOptions & { type?: string; autocomplete?: string }): Field {
  return field(
    h('input', {
      type,
      autocomplete,
      autocapitalize: 'none',
      spellcheck: 'false',
      class: `${CONTROL} h-control-md px-4`,
    }),
    options,
  );
}

export function textArea({ maxLength, ...options }: FieldOptions & { maxLength: number }): Field {
  return field(
    h('textarea', { rows: 3, maxlength: maxLength, class: `${CONTROL} min-h-20 px-4 py-2.5` }),
    options,
  );
}

export function select(options: FieldOptions & { choices: [value: string, label: string][] }): Field {
  const choices = options.choices.map(([value, label]) => h('option', { value }, label));
  return field(h('select', { class: `${CONTROL} h-control-md px-3.5` }, ...choices), options);
}

function field(control: Field['control'], { label, hint, isOptional }: FieldOptions): Field {
  control.id = newId('field');
  const errorId = `${control.id}-error`;
  const hintId = `${control.id}-hint`;
  const error = h('div', { id: errorId });
  const describe = (hasError: boolean) => {
    const ids = [hasError && errorId, hint && hintId].filter(Boolean).join(' ');
    if (ids) control.setAttribute('aria-describedby', ids);
    else control.removeAttribute('aria-describedby');
  };
  describe(false);
  const element = h(
    'div',
    { class: 'flex min-w-0 flex-col gap-1.5' },
    h(
      'div',
      { class: 'flex items-baseline justify-between gap-3' },
      h('label', { for: control.id, class: 'text-sm font-medium text-ink' }, label),
      isOptional && h('span', { class: 'text-xs text-ink-faint' }, t`optional`),
    ),
    control,
    error,
    hint && h('p', { id: hintId, class: 'text-sm text-ink-faint' }, hint),
  );
  const setError = (text: string | null) => {
    describe(text !== null);
    if (text === null) control.removeAttribute('aria-invalid');
    else control.setAttribute('aria-invalid', 'true');
    replace(error, text !== null && errorText(text));
  };
  return { element, control, setError };
}

export function errorText(text: string): HTMLElement {
  return h(
    'p',
    { role: 'alert', class: 'flex animate-fade-in gap-1.5 text-sm text-danger-ink' },
    icon('CircleAlert', 'mt-[0.2em] size-4 shrink-0'),
    h('span', {}, text),
  );
}

const TICK_SIGN =
  'pointer-events-none absolute size-4 scale-50 text-on-accent opacity-0 transition duration-(--quick) peer-disabled:text-ink-faint forced-colors:hidden';

export type Tick = { element: HTMLElement; input: HTMLInputElement; setState(state: TickState): void };
export type TickState = 'all' | 'some' | 'none';

/** A checkbox of 24 px with a target of 40 px. */
export function tick(
  label: { name: string } | { labelledBy: string },
  onChange: (isChecked: boolean, event: Event) => void,
): Tick {
  const input = h('input', {
    type: 'checkbox',
    ...('name' in label ? { 'aria-label': label.name } : { 'aria-labelledby': label.labelledBy }),
    class:
      'peer size-6 cursor-pointer appearance-none rounded-xs border border-edge bg-surface ' +
      'transition-colors duration-(--quick) hover:border-ink-soft checked:border-accent checked:bg-accent ' +
      'indeterminate:border-accent indeterminate:bg-accent ' +
      'disabled:cursor-not-allowed disabled:border-line disabled:bg-hover forced-colors:appearance-auto',
    on: { change: (event) => onChange(input.checked, event) },
  });
  const element = h(
    'label',
    { class: 'relative z-1 grid size-10 shrink-0 cursor-pointer place-items-center' },
    h(
      'span',
      { class: 'relative grid size-6 place-items-center' },
      input,
      icon(
        'Check',
        classNames(TICK_SIGN, 'peer-checked:scale-100 peer-checked:opacity-100 peer-indeterminate:hidden'),
        3,
      ),
      icon('Minus', classNames(TICK_SIGN, 'peer-indeterminate:scale-100 peer-indeterminate:opacity-100'), 3),
    ),
  );
  const setState = (state: TickState) => {
    input.checked = state === 'all';
    input.indeterminate = state === 'some';
  };
  return { element, input, setState };
}

export function badge(
  sign: IconName,
  tone: 'neutral' | 'danger' | 'outline' | 'accent',
  ...children: Child[]
): HTMLElement {
  return h(
    'span',
    {
      class: classNames(
        'tabular inline-flex h-6.5 w-fit shrink-0 items-center gap-1.5 rounded-full border px-2.5 text-xs font-medium whitespace-nowrap',
        BADGES[tone],
      ),
    },
    icon(sign, 'size-3.5'),
    ...children,
  );
}

const BADGES = {
  neutral: 'border-transparent bg-press text-ink-soft',
  accent: 'border-transparent bg-accent-wash text-accent-ink',
  danger: 'border-transparent bg-danger-wash text-danger-ink',
  outline: 'border-line-firm text-ink-soft',
};

export type Progress = {
  element: HTMLElement;
  set(share: number, text: string, state: 'running' | 'stopped'): void;
};

export function progressBar(label: string): Progress {
  const fill = h('div');
  const element = h(
    'div',
    {
      role: 'progressbar',
      'aria-label': label,
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      class: 'h-2 overflow-hidden rounded-full bg-press forced-colors:border',
    },
    fill,
  );
  return {
    element,
    set: (share, text, state) => {
      element.setAttribute('aria-valuenow', String(Math.floor(share * 100)));
      element.setAttribute('aria-valuetext', text);
      fill.style.width = `${share * 100}%`;
      const color = state === 'running' ? 'bg-accent' : 'bg-edge';
      fill.className = `h-full rounded-full forced-colors:bg-[Highlight] ${color}`;
    },
  };
}
