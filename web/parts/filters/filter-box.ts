/** What every choice of a filter bar looks like; one that is set stands out. */
export function filterBox(set: boolean): string {
  return `relative flex h-9 items-center gap-1.5 rounded-md border px-3 has-focus-visible:outline-2 has-focus-visible:outline-(--focus) ${
    set ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface hover:border-muted'
  }`
}
