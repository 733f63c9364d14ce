import { splitRanges } from './split-ranges.ts'

interface MarkedTextProps {
  readonly text: string
  /** [from, to) in UTF-16 units. */
  readonly ranges: readonly (readonly number[])[]
}

/** A text with search hits marked. */
export function MarkedText({ text, ranges }: MarkedTextProps) {
  return splitRanges(text, ranges).map((piece, index) =>
    piece.marked ? (
      <mark key={index} className="rounded-xs bg-warn-soft font-medium text-ink">
        {piece.text}
      </mark>
    ) : (
      <span key={index}>{piece.text}</span>
    ),
  )
}
