import { findCommand } from '../../accounts/policy/conditions/argv.ts'
import { specProblem } from '../../accounts/policy/conditions/check-spec.ts'
import { findValue } from '../../accounts/policy/conditions/value-test.ts'
import type { ConditionJudge } from '../../procedures/procedures-context.ts'

const ARGV = { program: '/program', args: '/args' }

/** Conditions of parameters come out as those of rules do. */
export const conditionJudge: ConditionJudge = {
  fits: (value, test) => findValue(value, test).outcome === 'true',
  isWord(value) {
    const call = { program: 'true', args: [value], shell: false }
    return findCommand(call, { argv: ARGV, tokens: ['true', { any: true }] }, false).outcome === 'true'
  },
  problem: (test) => specProblem({ when: [{ at: '/value', ...test }] }, 'ask', 'tool')?.why ?? null,
  openWord: (program) =>
    specProblem({ unless: [[{ argv: ARGV, tokens: [program, { any: true }] }]] }, 'ask', 'tool')?.why ?? null,
}
