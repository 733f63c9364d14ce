import type { CallToolResult } from '@modelcontextprotocol/client'

/** How one call ended, regardless of what that means for the run. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** The module answered with a protocol error. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It answered with something that isn't a tool result: `fault` says where and what belongs there. */
  | { readonly kind: 'misshapen'; readonly fault: string }
  /** Its session was over before the call began, so that it can be made again in a new one. */
  | { readonly kind: 'expired' }
  /** What it needs to be reached was taken back or has ended before the call began: somebody has to connect it again. */
  | { readonly kind: 'disconnected'; readonly message: string }
  /** It was told to stop and confirmed that it did, with `message`. */
  | { readonly kind: 'stopped'; readonly why: StopReason; readonly message: string }
  /**
   * It was told to stop or its connection closed, and what it is still doing is unknown. `ignored`: it neither
   * confirmed nor answered although it was given time.
   */
  | { readonly kind: 'lost'; readonly why: StopReason | 'closed'; readonly ignored?: boolean }
export type StopReason = 'cancelled' | 'deadline'
