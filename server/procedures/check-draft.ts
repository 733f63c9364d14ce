import { PROCEDURE_LIMITS } from '../../contract/procedure-limits.ts'
import { type Draft } from '../../contract/procedure-values.ts'
import { AppError, type FieldError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { isTooDeep, JSON_DEPTH } from '../kernel/text/json-depth.ts'
import type { ConditionJudge } from './procedures-context.ts'
import { referencesIn } from './references.ts'

/**
 * Refuses a draft that could mean nothing, whatever tools there are. What is merely unfinished is kept, and stands in the
 * way of a review.
 * @throws {AppError} bad_procedure
 */
export function checkDraft({ params, steps }: Draft, judge: Pick<ConditionJudge, 'problem'>): void {
  const names = new Set<string>()
  for (const [i, { name, test }] of params.entries()) {
    const at = `params.${i}`
    if (names.has(name)) throw bad(`${at}.name`, say`There are two parameters “${name}”.`)
    names.add(name)
    if ('hosts' in test || 'any' in test) continue
    const why = judge.problem('each' in test ? test.each : test)
    if (why !== null) throw bad(`${at}.test`, why)
  }
  if (isTooDeep(steps)) throw bad('steps', say`The arguments are nested too deep: at most ${JSON_DEPTH} levels.`)
  if (JSON.stringify(steps).length > PROCEDURE_LIMITS.arguments)
    throw bad('steps', say`The steps are too large: at most ${PROCEDURE_LIMITS.arguments} characters.`)
  for (const [i, { arguments: given }] of steps.entries()) {
    const at = `steps.${i}.arguments`
    const { found, odd } = referencesIn(given)
    if (odd !== null)
      throw bad(
        `${at}.${odd}`,
        say`A parameter stands for a whole value: {"$param": "name"}, and nothing else beside it.`,
      )
    const lost = found.find(({ param }) => !names.has(param))
    if (lost !== undefined) throw bad(`${at}.${lost.path}`, say`There is no parameter “${lost.param}”.`)
  }
}

function bad(path: string, message: Sentence): AppError {
  const errors: FieldError[] = [{ path, message }]
  return new AppError('bad_procedure', message, { errors })
}
