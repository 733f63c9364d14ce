import type { z } from 'zod'
import type { RuleWarning } from '../../../contract/administration.ts'
import type { Rule } from '../../../contract/rules.ts'
import { say } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { readSubject } from './policy-subject.ts'

/**
 * Rules that match no existing tool: saved nonetheless, because a module may be installed later, and reported, because
 * most are typos. The sentences are in `language`.
 */
export function unmatchedRules(
  { toolNames }: AccountsContext,
  rules: readonly z.infer<typeof Rule>[],
  language: string,
): z.input<typeof RuleWarning>[] {
  return [...new Set(rules.map(({ subject }) => subject))].flatMap((subject) => {
    const about = readSubject(subject)
    if (about.kind !== 'tool') return []
    const names = toolNames(about.module)
    if (names === null) {
      const message = say`There is no module ${about.module}: the rule for ${subject} has no effect until one is installed.`
      return [{ subject, message: message.in(language) }]
    }
    // The tools of a module that has never run are unknown.
    if (about.tool === null || names.length === 0 || names.includes(about.tool)) return []
    const message = say`The module ${about.module} has no tool ${about.tool}, so the rule for ${subject} has no effect. Names are case-sensitive.`
    return [{ subject, message: message.in(language) }]
  })
}
