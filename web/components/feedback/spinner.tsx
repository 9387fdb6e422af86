/** Small loading indicator. Text next to it must say what is loading. */
export function Spinner({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" className={className} width="1em" height="1em">
      <circle cx="12" cy="12" r="9" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2.25" />
      <g className="origin-center animate-turn">
        <path d="M12 3a9 9 0 0 1 9 9" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />
      </g>
    </svg>
  );
}
