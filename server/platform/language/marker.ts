/** Marks a text for translation: `npm run messages` collects it. */
export function msg<const Text extends string>(text: Text): Text {
  return text;
}
