import type { z } from 'zod'
import type { ConditionStep } from '../../../../contract/rule-conditions.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import type { Truth } from './truth.ts'

export type Operator = z.infer<typeof ConditionStep>['operator']

/** How one value came out, and why. */
export interface Found {
  readonly outcome: Truth
  readonly why: Sentence
}

/** How one condition came out. */
export interface Finding extends Found {
  readonly at: string
  readonly operator: Operator
}

export const FITS: Found = { outcome: 'true', why: say`It is as the rule says.` }
export const DIFFERS: Found = { outcome: 'false', why: say`It is not as the rule says.` }
export const MISSING: Found = { outcome: 'unknown', why: say`It is missing.` }
export const WRONG_TYPE: Found = { outcome: 'unknown', why: say`It has another type than the rule expects.` }
export const ODD: Found = { outcome: 'unknown', why: say`It is spelled in a way that cannot be judged.` }
export const ALIKE: Found = {
  outcome: 'unknown',
  why: say`It differs from the rule only in case or in like characters.`,
}
export const TOO_LONG: Found = { outcome: 'unknown', why: say`It is longer than what is judged.` }
export const LINKS: Found = {
  outcome: 'unknown',
  why: say`The tool does not promise that links cannot lead out of the folder.`,
}
export const NO_ARGUMENTS: Found = { outcome: 'unknown', why: say`There are no arguments to judge.` }

/** What several findings about one value come to: the first that says so. */
export function anyFound(found: readonly Found[]): Found {
  const by = (outcome: Truth) => found.find((one) => one.outcome === outcome)
  return by('true') ?? by('unknown') ?? DIFFERS
}

export function allFound(found: readonly Found[]): Found {
  const by = (outcome: Truth) => found.find((one) => one.outcome === outcome)
  return by('false') ?? by('unknown') ?? FITS
}
