import { useSearchParams } from 'react-router';

/**
 * What a list is narrowed to and how it is ordered, as it stands in the page's address: texts, '' for what is as
 * usual. A change is a step that Back takes back; the letters of one search are one step.
 */
export function useView<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams();
  const view = Object.fromEntries(names.map((name) => [name, params.get(name)?.trim() ?? ''])) as Record<
    Name,
    string
  >;
  const change = (changes: Partial<Record<Name, string>>) => {
    const isTyping = Object.entries(changes).every(([name, value]) => value && view[name as Name]);
    // Of two changes at once the second must not undo the first, which this page has not drawn yet.
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries<string | undefined>(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    setParams(next, { replace: isTyping });
  };
  const clear = () => change(Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>);
  return { view, change, clear };
}

/** The wish if it is one of these; the address may say anything. */
export function oneOf<Choice extends string>(choices: readonly Choice[], wish: string): Choice | undefined {
  return choices.find((choice) => choice === wish);
}
