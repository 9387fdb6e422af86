/** Joins the class names that apply. Give components only layout classes: later ones do not win over theirs. */
export function classNames(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
