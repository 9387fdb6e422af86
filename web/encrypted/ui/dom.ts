export type Child = Node | string | false | null | undefined;

type Props = {
  class?: string | undefined;
  /** By event type. */
  on?: Partial<{ [Type in keyof HTMLElementEventMap]: (event: HTMLElementEventMap[Type]) => void }>;
  /** Attributes; false and undefined leave them out, true writes an empty one. */
  [attribute: string]: unknown;
};

/** Creates an element. Texts become text nodes, so nothing is ever parsed as markup. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { class: className, on = {}, ...attributes }: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [type, listener] of Object.entries(on))
    element.addEventListener(type, listener as EventListener);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(tag: string, attributes: Record<string, unknown> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** Puts `later` in the place of `earlier`. If that has the focus, `later` gets it. */
export function swap(earlier: Element, later: HTMLElement): void {
  const hadFocus = earlier === document.activeElement;
  earlier.replaceWith(later);
  if (hadFocus) later.focus({ preventScroll: true });
}

let lastId = 0;

export function newId(prefix: string): string {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

export function classNames(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

function append(parent: Element, children: Child[]): void {
  for (const child of children) if (child) parent.append(child);
}

function setAttributes(element: Element, attributes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== false && value !== undefined && value !== null)
      element.setAttribute(name, value === true ? '' : String(value));
}
