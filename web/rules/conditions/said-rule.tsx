import type { Rule } from '../same-rule.ts'
import type { Role } from '../tool-rules.ts'
import { piecesOf, saidRule } from './condition-words.ts'
import { saidBesides } from './said-besides.ts'

/** A rule in plain language: its conditions, who decides, and how far it reaches. `roles`: for their names. */
export function SaidRule({ rule, roles }: { readonly rule: Rule; readonly roles: readonly Role[] }) {
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
      )}{' '}
      {saidBesides(rule, roles)}
    </>
  )
}
