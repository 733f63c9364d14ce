import type { CallToolResult } from '@modelcontextprotocol/client'
import type { AccessCode } from '../spec/remote-access.ts'

/** How one call ended, regardless of what that means for the run. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** The module answered with a protocol error. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It answered with something that isn't a tool result: `fault` says where and what belongs there. */
  | { readonly kind: 'misshapen'; readonly fault: string }
  /** Its session was over before the call began, so that it can be made again in a new one. */
  | { readonly kind: 'expired' }
  /** Nothing lets it in, so that it was not begun: most often, somebody has to connect the module again. */
  | { readonly kind: 'no_access'; readonly code: AccessCode; readonly message: string }
  /** It was told to stop and confirmed that it did, with `message`. */
  | { readonly kind: 'stopped'; readonly why: StopReason; readonly message: string }
  /**
   * It was told to stop or its connection closed, and what it is still doing is unknown; `task`: it became a task that the
   * module says no more about. `ignored`: it neither confirmed nor answered although it was given time.
   */
  | { readonly kind: 'lost'; readonly why: StopReason | 'closed' | 'task'; readonly ignored?: boolean }
export type StopReason = 'cancelled' | 'deadline'
