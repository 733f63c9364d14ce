import { useLayoutEffect, useRef, useState } from 'react'
import { later, useLater } from '../../parts/later.ts'
import type { MathToken } from './markdown-lexer.ts'

const mathPart = later(() => import('./math.ts'))

/** A formula; as it was written until what draws it has loaded, and where it cannot be drawn. */
export function MarkdownMath({ token }: { readonly token: MathToken }) {
  const { text, raw, display } = token
  const part = useLater(mathPart, { optional: true })
  const place = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState('')
  useLayoutEffect(() => {
    if (part !== null && place.current !== null) setDrawn(part.drawFormula(place.current, text, display) ? text : '')
  }, [part, text, display])
  return (
    <span className="markdown-math" data-display={display || undefined} tabIndex={display ? 0 : undefined}>
      <span ref={place} />
      {drawn !== text && <code>{raw.trim()}</code>}
    </span>
  )
}
