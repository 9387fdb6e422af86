/** The first stop of the Tab key: past the navigation, to the page itself (WCAG 2.4.1). */
export function SkipLink() {
  const skip = () => document.getElementById('main')?.focus();
  return (
    <button
      type="button"
      onClick={skip}
      className="sr-only rounded-full bg-accent px-5 py-2.5 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-60"
    >
      Skip to content
    </button>
  );
}
