import type { ParseArgsOptionsConfig } from 'node:util'
import type { Terminal } from './terminal.ts'

/** What a command found: `value` with --json, else `text`. */
export interface Outcome {
  /** 0: done and well. 1: done, and something is wrong. */
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
  /** What follows `reeve`. */
  readonly usage: string
  /** What a person needs to know before running it. */
  readonly about: string
  readonly options: ParseArgsOptionsConfig
  run(terminal: Terminal, given: Arguments): Promise<Outcome>
}

/** What was asked for cannot be done; the message is one sentence for the operator. Exit code 1. */
export class CommandProblem extends Error {
  override readonly name = 'CommandProblem'
}

/** It was typed wrongly; the message says how it is typed. Exit code 2. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem'
}

/** The one thing that a command takes beside its options. @throws {UsageProblem} */
export function onlyPositional({ positionals }: Arguments, what: string): string {
  if (positionals.length === 1) return positionals[0]!
  throw new UsageProblem(positionals.length === 0 ? `Name ${what}.` : `Name only one thing: ${what}.`)
}
