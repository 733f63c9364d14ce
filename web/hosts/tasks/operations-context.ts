import { createContext, useContext } from 'react'
import type { Operation } from './operation.ts'
import type { StartedCall } from './start-call.ts'

export interface Operations {
  /** Asks for what is open, then starts the call. */
  begin(operation: Operation): void
  /** Why nobody here may do it at all; null where it can be tried. */
  whyNot(tool: string): string | null
  /** Something is being sent. */
  readonly busy: boolean
  /** What was started here, the newest first. */
  readonly started: readonly StartedCall[]
  close(call: StartedCall): void
}

export const OperationsContext = createContext<Operations | null>(null)

/** What sections of the page use to change the machine. */
export function useOperations(): Operations {
  const operations = useContext(OperationsContext)
  if (operations === null) throw new Error('There are no operations outside the page of a machine.')
  return operations
}
