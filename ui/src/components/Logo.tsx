/** The mark: an open chain link with a hook hanging through it. */
export function Logo({ size }: { size: 16 | 20 | 24 | 40 }) {
  return (
    <svg
      className="flex-none"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      strokeWidth="2.25"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M9.2 9.6H7A4.1 4.1 0 0 1 7 1.4h10a4.1 4.1 0 0 1 0 8.2h-2.2" className="stroke-ink-1" />
      <path d="M12 5.5v11.1a5 5 0 0 1-10 0v-1.1m0 0 2.9 2.2" className="stroke-accent" />
    </svg>
  );
}
