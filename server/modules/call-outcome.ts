import type { CallToolResult } from '@modelcontextprotocol/client'

/** How one call ended, before anybody judges what that means for the run. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** The module answered with a protocol error, or with something that is no tool result. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It was told to stop and confirmed that it did; `message` is what it said about it. */
  | { readonly kind: 'stopped'; readonly why: StopReason; readonly message: string }
  /** It was told to stop, or its connection closed, and nobody knows what it still does. */
  | { readonly kind: 'lost'; readonly why: StopReason | 'closed' }
export type StopReason = 'cancelled' | 'deadline'
