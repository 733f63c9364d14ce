import { piecesOf, saidRule } from './condition-words.ts'
import type { Rule } from '../same-rule.ts'

/** A rule with conditions in plain language. */
export function SaidRule({ rule }: { readonly rule: Rule }) {
  return (
    <>
      {piecesOf(saidRule(rule)).map(({ text, code }, at) =>
        code ? (
          <code key={at} className="bg-sunken rounded px-1 text-[0.9em] break-words whitespace-pre-wrap">
            {text}
          </code>
        ) : (
          <span key={at}>{text}</span>
        ),
      )}
    </>
  )
}
