import type { z } from 'zod'
import type { EngineProblem } from '../../contract/engines.ts'
import type { EngineError } from '../chat/ports/model.ts'
import { say, type Sentence } from '../kernel/sentence.ts'

type Problem = z.infer<typeof EngineProblem>

/** What is wrong with the settings of an engine that did not answer, and what an administrator can do about it. */
export function engineProblem(error: EngineError): { problem: Problem; detail: Sentence } {
  const problem = problemOf(error)
  const advice = adviceOn(problem, error)
  return { problem, detail: error.said === '' ? advice : say`${advice} It said: ${error.said}` }
}

function problemOf({ code }: EngineError): Problem {
  switch (code) {
    case 'engine_key':
      return 'wrong_key'
    case 'engine_no_key':
      return 'no_key'
    case 'engine_quota':
      return 'no_credit'
    case 'engine_model':
      return 'unknown_model'
    case 'engine_redirect':
      return 'redirected'
    case 'engine_rate':
      return 'rate_limited'
    case 'engine_context':
    case 'engine_refused':
      return 'refused'
    default:
      return 'unreachable'
  }
}

function adviceOn(problem: Problem, error: EngineError): Sentence {
  switch (problem) {
    case 'wrong_key':
      return say`The provider refused the key. Check that it is complete and still valid.`
    case 'no_key':
      return say`This provider needs a key. Enter one.`
    case 'no_credit':
      return say`The account at the provider has no credit left.`
    case 'unknown_model':
      return say`The provider does not know this model, or nothing is at this address. Check the name and the address, which usually ends in /v1.`
    case 'rate_limited':
      return say`The provider is limiting the rate of requests. The settings seem correct: try again in a moment.`
    case 'unreachable':
      return say`No engine answers at this address. Check that it is running and that the address is right.`
    case 'refused':
      return say`The provider refused the request. Perhaps the model cannot use tools.`
    case 'redirected':
    case 'no_tools':
      return error.detail
  }
}
