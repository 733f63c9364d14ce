import type { Range } from './rank.ts'

/** A text with hits marked. */
export function Highlight({ text, ranges }: { readonly text: string; readonly ranges: readonly Range[] }) {
  if (ranges.length === 0) return text
  const end = ranges.at(-1)?.[1] ?? 0
  return (
    <>
      {ranges.map(([from, to], index) => (
        <span key={from}>
          {text.slice(ranges[index - 1]?.[1] ?? 0, from)}
          <mark className="bg-transparent font-semibold text-accent">{text.slice(from, to)}</mark>
        </span>
      ))}
      {text.slice(end)}
    </>
  )
}
