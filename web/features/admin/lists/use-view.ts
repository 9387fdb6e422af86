import { useSearchParams } from 'wouter';

/**
 * A list's filters and order, kept in the page's address; '' stands for the default. Each change adds a history entry,
 * but typing on in a search field replaces it.
 */
export function useView<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams();
  const view = Object.fromEntries(names.map((name) => [name, params.get(name)?.trim() ?? ''])) as Record<
    Name,
    string
  >;
  const change = (changes: Partial<Record<Name, string>>) => {
    const isTyping = Object.entries(changes).every(([name, value]) => value && view[name as Name]);
    // Read the current address: an earlier change may not have been rendered yet.
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

/** Validates a value from the address: undefined unless it is one of `choices`. */
export function oneOf<Choice extends string>(choices: readonly Choice[], value: string): Choice | undefined {
  return choices.find((choice) => choice === value);
}
