import { say, type Sentence } from '../../kernel/sentence.ts'
import type { ToolEffect } from './tools.ts'

/** A machine as rules know it. */
export interface JudgedHost {
  readonly name: string
  readonly tags: readonly string[]
  /** It is the one that Reeve runs on. */
  readonly local: boolean
}

/** A machine that calls may be about. */
export interface CallHost extends JudgedHost {
  readonly host_id: string
  /** Nothing connects to it. */
  readonly disabled: boolean
  /** Changes with what makes it the machine that somebody agreed to: its pinned key, and Reeve's account there. */
  readonly bound: string
}

/** The port through which a run sees the machines. `hosts` implements it, `app` fills it. */
export interface HostList {
  /** All of them as this process knows them, the local one first: costs nothing, and is late by a moment. */
  known(): readonly CallHost[]
  /** All of them as they are now. */
  read(): Promise<readonly CallHost[]>
}

/** How an operation of a machine ended, whose end was not known when its call ended. */
export type OperationEnd =
  /** `output` is what programs of the machine wrote. */
  | { readonly kind: 'ended'; readonly ok: boolean; readonly output: string }
  /** It was refused there, or has not arrived and never will. */
  | { readonly kind: 'not_done'; readonly output: string }
  /** The machine does not answer, or it still runs. */
  | { readonly kind: 'later' }
  | { readonly kind: 'never_known'; readonly text: Sentence }

/** The port through which a run asks machines about operations of earlier calls. `hosts` implements it, `app` fills it. */
export interface Operations {
  /** The id that an operation of this call has, on each of its machines. */
  idOf(tool_call_id: string): string
  /** What the machine has recorded under this id. Repeats nothing. Never rejects. */
  endOf(host_id: string, op_id: string, signal: AbortSignal): Promise<OperationEnd>
}

/** What is said of the argument that names machines, to engines in English. */
export function aboutHosts(effect: ToolEffect): Sentence {
  return effect === 'read'
    ? say`Machine: a name, #tag, #all, or a list of them; “local” unless given.`
    : say`Machine: a name, #tag, #all, or a list of them; must be given.`
}
