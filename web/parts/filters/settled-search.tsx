import { useEffect, useRef, useState } from 'react'
import { SearchBox } from '../controls/search-box.tsx'

/** Milliseconds between the last key and the search. */
const TYPING = 250

interface SettledSearchProps {
  readonly label: string
  /** The current search. */
  readonly value: string
  onChange(value: string): void
  readonly className?: string
}

/** A search field that asks the server: the text takes effect when typing pauses, or on Enter. */
export function SettledSearch({ label, value, onChange, className }: SettledSearchProps) {
  const [text, setText] = useState(value)
  const report = useRef(onChange)
  useEffect(() => {
    report.current = onChange
  })
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => report.current(text), TYPING)
    return () => clearTimeout(timer)
  }, [text, value])
  return (
    <SearchBox
      label={label}
      value={text}
      onChange={setText}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && text !== value) onChange(text)
      }}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      className={className}
    />
  )
}
