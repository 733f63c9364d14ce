import { OperatorProblem } from '../kernel/operator-problem.ts'

/** A setting that cannot be used; the message is a sentence for the operator. */
export class ConfigError extends OperatorProblem {
  override readonly name = 'ConfigError'
}
