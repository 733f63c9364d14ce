import type { Sentence } from '../../kernel/sentence.ts'
import type { ModuleExit } from '../spec/module-link.ts'
import { ModuleProblem } from '../spec/module-problem.ts'

/** Why a start failed. `exit` is how the process ended, if it did so by itself; `stderr` its last lines, not masked. */
export class StartFailure extends ModuleProblem {
  override readonly name = 'StartFailure'
  readonly exit: ModuleExit | null
  readonly stderr: readonly string[]

  constructor(detail: Sentence, exit: ModuleExit | null, stderr: readonly string[], cause: unknown) {
    super(detail, { cause })
    this.exit = exit
    this.stderr = stderr
  }
}
