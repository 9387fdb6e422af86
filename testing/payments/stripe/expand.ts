import type { StripeObject } from './objects.ts';
import type { Shop } from './shop.ts';
import { refused } from './wire.ts';

/** What is only there when it is asked for. */
const INCLUDABLE: Partial<Record<StripeObject['object'], string[]>> = {
  invoice: ['confirmation_secret', 'payments'],
  coupon: ['applies_to'],
};
const DEEPEST = 4;

type Json = Record<string, unknown>;

/** The object as it goes over the wire: references are ids unless a path of `expand` names them. */
export function present(shop: Shop, object: unknown, paths: string[] = []): Json {
  const copy = withoutIncludables(structuredClone(object) as Json);
  for (const path of paths) {
    const steps = path.split('.');
    if (steps.filter((step) => step !== 'data').length > DEEPEST) {
      throw refused(
        `You cannot expand more than 4 levels of a property: ${path}`,
        'property_expansion_max_depth',
      );
    }
    expandAt(shop, { target: copy, source: object as Json, steps, path });
  }
  return copy;
}

type Place = { target: Json; source: Json; steps: string[]; path: string };

function expandAt(shop: Shop, { target, source, steps, path }: Place): void {
  const [step, ...rest] = steps;
  if (!step) return;
  if (!(step in source)) throw refused(`This property cannot be expanded (${path}).`);
  const value = source[step];
  // An object that is opened already by a shorter path stays open.
  const opened = isExpanded(target[step]) ? target[step] : resolve(shop, value, path);
  target[step] = opened;
  const parts = Array.isArray(opened) ? opened : [opened];
  for (const part of parts) {
    if (part === null || typeof part !== 'object') continue;
    const original = 'id' in part ? (shop.any(String(part.id)) ?? part) : part;
    expandAt(shop, { target: part as Json, source: original as Json, steps: rest, path });
  }
}

function isExpanded(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isExpanded);
  return typeof value === 'object' && value !== null;
}

function resolve(shop: Shop, value: unknown, path: string): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((part) => resolve(shop, part, path));
  if (typeof value === 'object') return withoutIncludables(structuredClone(value) as Json);
  const object = shop.any(String(value));
  if (!object) throw refused(`This property cannot be expanded (${path}).`);
  return withoutIncludables(structuredClone(object) as unknown as Json);
}

function withoutIncludables(value: Json): Json {
  const hidden = INCLUDABLE[value.object as StripeObject['object']] ?? [];
  for (const name of hidden) delete value[name];
  if (value.object === 'list' && Array.isArray(value.data)) value.data = value.data.map(withoutIncludables);
  return value;
}
