import type { ParseArgsOptionsConfig } from 'node:util'
import type { Terminal } from './terminal.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'

/** A command's result: `value` with --json, else `text`. */
export interface Outcome {
  /** 0: success. 1: completed, but something is wrong. */
  readonly code: 0 | 1
  readonly value: unknown
  readonly text: string
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
}

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string
  /** The usage line, without `reeve`. */
  readonly usage: string
  /** The words that may come first after the command, for completion. */
  readonly actions?: readonly string[]
  /** What to know before running it. */
  readonly about: string
  readonly options: ParseArgsOptionsConfig
  run(terminal: Terminal, given: Arguments): Promise<Outcome>
}

/** The command cannot be carried out; the message is one sentence for the operator. Exit code 1. */
export class CommandProblem extends OperatorProblem {
  override readonly name = 'CommandProblem'
}

/** Wrong usage; the message says how to type it. Exit code 2. */
export class UsageProblem extends OperatorProblem {
  override readonly name = 'UsageProblem'
}

/** The single argument a command takes in addition to its options. @throws {UsageProblem} */
export function onlyPositional({ positionals }: Arguments, what: string): string {
  if (positionals.length === 1) return positionals[0]!
  throw new UsageProblem(positionals.length === 0 ? `Name ${what}.` : `Name only one thing: ${what}.`)
}
